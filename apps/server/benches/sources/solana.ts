import { address } from '@solana/kit';
import type { Network } from '../../src/networks/network.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { profileOf } from '../../src/networks/profile.ts';
import type { Fingerprint } from '../../src/accounts/account-fingerprint.ts';
import { afterRead, afterPoll, hasChanged } from '../../src/accounts/account-fingerprint.ts';
import type { AccountFollowerParts } from '../../src/accounts/account-follower.ts';
import { createAccountFollower } from '../../src/accounts/account-follower.ts';
import type { RoundHeads } from '../../src/accounts/account-follower.ts';
import type { ReadEnd } from '../../src/accounts/account-read-end.ts';
import { keepsEarlier, lowerPosition, readerAfter, secondReadWays } from '../../src/accounts/account-read-end.ts';
import type { ChainPosition } from '../../src/sources/account-source.ts';
import type { FollowedAccount } from '../../src/accounts/account-sql.ts';
import { firstReadEnd } from '../../src/accounts/advance-account.ts';
import { chooseReads } from '../../src/accounts/choose-reads.ts';
import { CLAIMS_WITH_HINTS } from '../../src/accounts/follow-accounts.ts';
import type { SolanaSource } from '../../src/sources/solana/solana-source.ts';
import { createSolanaSource } from '../../src/sources/solana/solana-source.ts';
import { randomAddress } from '../../rig/chains/solana/accounts.ts';
import { blockAtOrBelow } from '../../rig/chains/solana/ledger.ts';
import { USDT } from '../../rig/chains/solana/mints.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { startSolanaNode } from '../../rig/chains/solana/node.ts';
import { paySpl } from '../../rig/chains/solana/payment.ts';

/**
 * Measures what following Solana costs a provider. Every call counts, also those that share a request, because
 * providers count that way. The chain's time is simulated. The schedule is the engine's, with its defaults and its own
 * decision when to read an account; only the database is left out.
 */

const ACCOUNTS = 100;
const MINUTE_SECONDS = 60;
const QUICK_POLLS = 10;
/** Polls within which the last payments are seen and settle. */
const SPARE_POLLS = 2;
/** Payments per minute of all accounts together: each is paid once a minute. */
const PAYMENTS_PER_MINUTE = ACCOUNTS;

function solana(): Network {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL in our list.');
  return network;
}

const network = solana();
const { blockSeconds } = profileOf(network);
const { coverSeconds, secondReadAgeSeconds } = createAccountFollower({ source: { network } } as AccountFollowerParts);
const POLL_SECONDS = network.pollMs / 1_000;
const POLLS_PER_MINUTE = MINUTE_SECONDS / POLL_SECONDS;

type Payment = { txId: string; height: number };
type Followed = Omit<FollowedAccount, 'cursor' | 'earlier'> & {
  covered: ChainPosition;
  fingerprint: Fingerprint | undefined;
  /** Ends of first reads with the time of the read, from which their age is counted. */
  cursor: ChainPosition & { readAt: number };
  earlier: (ChainPosition & { readAt: number }) | undefined;
  /** Payments that were seen and have not settled. */
  open: Payment[];
  /** All payments that were seen. */
  seen: Set<string>;
};

/** State of the account as the database would have it now. */
function stateOf(followed: Followed, now: number): FollowedAccount {
  const aged = ({ height, time, readAt }: Followed['cursor']): ReadEnd => ({ height, time, ageSeconds: now - readAt });
  const unproven = followed.open.length > 0 ? Math.min(...followed.open.map(({ height }) => height)) : undefined;
  const { cursor, earlier } = followed;
  return { ...followed, cursor: aged(cursor), earlier: earlier && aged(earlier), unproven };
}

/** Makes a first read; answers whether it found a new payment. */
async function readFirst(source: SolanaSource, followed: Followed, heads: RoundHeads, now: number): Promise<boolean> {
  const { account, cursor, covered } = followed;
  const state = stateOf(followed, now);
  const upTo = firstReadEnd(state, heads, false);
  if (upTo.height <= cursor.height) return false;
  const request = { account, after: cursor, upTo };
  const read = await source.readAccount({ ...request, commitment: 'confirmed', pass: 'first' });
  const hits = read.transfers.filter(({ height, txId }) => height > covered.height && !followed.seen.has(txId));
  followed.open.push(...hits);
  for (const { txId } of hits) followed.seen.add(txId);
  if (!keepsEarlier(state)) followed.earlier = cursor;
  followed.readBy = readerAfter(state, read.by);
  followed.cursor = { ...read.end, readAt: now };
  return hits.length > 0;
}

/** Proves open payments; answers how many settled. */
async function prove(source: SolanaSource, followed: Followed, { finalized }: RoundHeads): Promise<number> {
  const final = followed.open.filter(({ height }) => height <= finalized.height);
  if (final.length === 0) return 0;
  const txIds = final.map(({ txId }) => txId);
  const { account } = followed;
  const answer = await source.readTransactions({ account, txIds, commitment: 'finalized', pass: 'first' });
  const shown = new Set(answer.transactions.flatMap((one) => (one.outcome === 'read' ? [one.txId] : [])));
  followed.open = followed.open.filter(({ txId }) => !shown.has(txId));
  return shown.size;
}

async function readSecond(source: SolanaSource, followed: Followed, { finalized }: RoundHeads, now: number) {
  const { account, covered } = followed;
  const limits = { finalized, ageSeconds: secondReadAgeSeconds, providers: source.providers };
  const [way] = secondReadWays(stateOf(followed, now), limits);
  if (!way) return;
  const read = await source.readAccount({ account, after: covered, ...way, commitment: 'finalized' });
  followed.covered = read.end;
}

/** Reads an account by the engine's decision, with the chain's time in place of the database's. */
async function takeTurn(source: SolanaSource, followed: Followed, heads: RoundHeads, held: string): Promise<number> {
  const now = heads.confirmed.time;
  const reads = chooseReads(stateOf(followed, now), {
    finalized: heads.finalized,
    changed: hasChanged(followed.fingerprint, held),
    end: undefined,
    coverSeconds,
    ageSeconds: secondReadAgeSeconds,
    exact: false,
    providers: source.providers,
  });
  const found = reads.first && (await readFirst(source, followed, heads, now));
  if (reads.first) followed.fingerprint = afterRead(followed.fingerprint, { balances: held, found, starting: false });
  else if (followed.fingerprint) followed.fingerprint = afterPoll(followed.fingerprint);
  const settled = reads.proofs || found ? await prove(source, followed, heads) : 0;
  if (reads.second) await readSecond(source, followed, heads, now);
  return settled;
}

type Follower = { source: SolanaSource; accounts: Followed[]; heads: RoundHeads | undefined };

/** Takes one step of the engine: hints, then heads, then the accounts that are due. */
async function takeTurns(follower: Follower, claimed: readonly Followed[]): Promise<number> {
  const { source } = follower;
  const held = await source.fingerprints(claimed.map(({ account }) => account));
  const first = await source.heads('first');
  const second = source.providers.length > 1 ? await source.heads('second') : first;
  const last = follower.heads;
  const heads: RoundHeads = {
    confirmed: first.confirmed,
    finalized: lowerPosition(first.finalized, second.finalized),
    past: last ? [last.confirmed, ...last.past] : [],
  };
  follower.heads = heads;
  let found = 0;
  for (const followed of claimed) found += await takeTurn(source, followed, heads, held.get(followed.account) ?? '');
  return found;
}

async function poll(follower: Follower): Promise<number> {
  const { accounts } = follower;
  let found = 0;
  for (let start = 0; start < accounts.length; start += CLAIMS_WITH_HINTS)
    found += await takeTurns(follower, accounts.slice(start, start + CLAIMS_WITH_HINTS));
  return found;
}

async function pay(node: SolanaNode, accounts: readonly Followed[], round: number): Promise<number> {
  const payments = Math.round(PAYMENTS_PER_MINUTE / POLLS_PER_MINUTE);
  for (let payment = 0; payment < payments; payment += 1) {
    const { account } = accounts[(round * payments + payment) % accounts.length] ?? {};
    if (account !== undefined) await paySpl(node, { mint: USDT, to: address(account), units: BigInt(round + 1) });
  }
  return payments;
}

/** Starts accounts whose last coverage is spread evenly over the past interval. */
async function startAccounts(node: SolanaNode, source: SolanaSource): Promise<Followed[]> {
  const slots = coverSeconds.open / blockSeconds;
  node.produce(Math.ceil(slots));
  const { confirmed, finalized } = await source.heads('first');
  const accounts = Array.from({ length: ACCOUNTS }, (): Followed['account'] => randomAddress());
  const held = await source.fingerprints(accounts);
  return accounts.map((account, position) => {
    const height = finalized.height - Math.floor((position * slots) / ACCOUNTS);
    const covered = { height, time: blockAtOrBelow(node.ledger, height)?.time ?? finalized.time };
    return {
      account,
      state: 'following',
      startAt: 0,
      openUntil: confirmed.time + MINUTE_SECONDS * MINUTE_SECONDS,
      // The account is covered up to its last read.
      cursor: { ...covered, readAt: covered.time },
      earlier: undefined,
      readBy: undefined,
      version: 0n,
      covered,
      unproven: undefined,
      coverLimit: undefined,
      retryDue: false,
      unread: [],
      failures: 0,
      missingSinceMs: undefined,
      fingerprint: { balances: held.get(account) ?? '', unexplainedPolls: null },
      open: [],
      seen: new Set(),
    };
  });
}

export type SolanaCost = {
  /** Calls, regardless of the number of HTTP requests. */
  requests_per_min: number;
  http_requests_per_min: number;
  calls_per_min: Record<string, number>;
};

export async function measureSolana({ quick }: { quick: boolean }): Promise<SolanaCost> {
  const node = await startSolanaNode();
  try {
    const source = createSolanaSource(network, [node.url]);
    await source.verify();
    const accounts = await startAccounts(node, source);
    const follower: Follower = { source, accounts, heads: undefined };
    const polls = quick ? QUICK_POLLS : POLLS_PER_MINUTE;
    let paid = 0;
    let found = 0;
    node.resetCounts();
    for (let round = 0; round < polls; round += 1) {
      paid += await pay(node, accounts, round);
      node.produce(Math.round(POLL_SECONDS / blockSeconds));
      found += await poll(follower);
    }
    const counts = node.counts();
    // All payments must be found: a schedule that is cheap because it finds nothing would prove nothing.
    node.finalize();
    for (let round = 0; round < SPARE_POLLS; round += 1) found += await poll(follower);
    if (found !== paid) throw new Error(`${paid} payments were made and ${found} found.`);
    const perMinute = (count: number) => Math.round((count * POLLS_PER_MINUTE) / polls);
    const calls = Object.entries(counts.calls).map(([method, count]): [string, number] => [method, perMinute(count)]);
    return {
      requests_per_min: calls.reduce((sum, [, count]) => sum + count, 0),
      http_requests_per_min: perMinute(counts.requests),
      calls_per_min: Object.fromEntries(calls),
    };
  } finally {
    await node.stop();
  }
}
