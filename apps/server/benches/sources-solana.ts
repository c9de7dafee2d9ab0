import { address } from '@solana/kit';
import type { Network } from '../src/networks/network.ts';
import { findNetwork } from '../src/networks/network.ts';
import type { Fingerprint } from '../src/transfers/account-fingerprint.ts';
import { afterLook, afterPoll, hasChanged } from '../src/transfers/account-fingerprint.ts';
import type { AccountFollowerParts } from '../src/transfers/account-follower.ts';
import { createAccountFollower } from '../src/transfers/account-follower.ts';
import type { AccountCommitment, AccountMark } from '../src/transfers/account-source.ts';
import type { FollowedAccount } from '../src/transfers/account-store.ts';
import { chooseLook } from '../src/transfers/choose-look.ts';
import { HINTED_CLAIMS } from '../src/transfers/follow-accounts.ts';
import type { SolanaSource } from '../src/transfers/sources/solana/solana-source.ts';
import { createSolanaSource } from '../src/transfers/sources/solana/solana-source.ts';
import { randomAddress } from '../test/chain/solana-accounts.ts';
import { USDT } from '../test/chain/solana-mints.ts';
import type { SolanaNode } from '../test/chain/solana-node.ts';
import { startSolanaNode } from '../test/chain/solana-node.ts';
import { paySpl } from '../test/chain/solana-payment.ts';

/**
 * What following Solana costs a provider: every call counts, also those that share a request, because that is how
 * providers count. The chain's time is simulated. The schedule is the engine's: its defaults, and its own decision of
 * when an account is looked at; only the database is left out.
 */

const ACCOUNTS = 100;
const SLOTS_PER_SECOND = 2.5;
const MINUTE_SECONDS = 60;
const QUICK_POLLS = 10;
/** Of all accounts together: each of them is paid once a minute. */
const PAYMENTS_PER_MINUTE = ACCOUNTS;

function solana(): Network {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL in our list.');
  return network;
}

const network = solana();
const { coverSeconds } = createAccountFollower({} as AccountFollowerParts);
const POLL_SECONDS = network.pollMs / 1_000;
const POLLS_PER_MINUTE = MINUTE_SECONDS / POLL_SECONDS;

type Heads = Record<AccountCommitment, AccountMark>;
type Followed = FollowedAccount & {
  covered: AccountMark;
  fingerprint: Fingerprint | undefined;
  /** The newest payment that was seen. */
  seen: number;
};

/** Whether there was a payment. */
async function lookFirst(source: SolanaSource, followed: Followed, { confirmed }: Heads): Promise<boolean> {
  const { account, cursor } = followed;
  if (cursor.height >= confirmed.height) return false;
  const request = { account, after: cursor.height, upTo: confirmed };
  const { transfers, end } = await source.readAccount({ ...request, commitment: 'confirmed', pass: 'first' });
  followed.seen = Math.max(followed.seen, ...transfers.map(({ height }) => height));
  followed.cursor = end;
  return transfers.some(({ height }) => height > followed.covered.height);
}

/** How many payments became final. */
async function lookAgain(source: SolanaSource, followed: Followed, { finalized }: Heads): Promise<number> {
  const { account, covered, cursor } = followed;
  const upTo = finalized.height <= cursor.height ? finalized : cursor;
  if (upTo.height <= covered.height) return 0;
  const request = { account, after: covered.height, upTo };
  const { transfers, end } = await source.readAccount({ ...request, commitment: 'finalized', pass: 'second' });
  followed.covered = end;
  return transfers.filter(({ height }) => height > covered.height).length;
}

async function takeTurn(source: SolanaSource, followed: Followed, heads: Heads, held: string): Promise<number> {
  followed.unsettled = followed.seen > followed.covered.height ? followed.seen : undefined;
  const changed = hasChanged(followed.fingerprint, held);
  const look = chooseLook(followed, { finalized: heads.finalized, changed, end: undefined, coverSeconds });
  if (look === 'first' || look === 'both') {
    const found = await lookFirst(source, followed, heads);
    followed.fingerprint = afterLook(followed.fingerprint, { held, found, starting: false });
  } else if (look === 'none' && followed.fingerprint) followed.fingerprint = afterPoll(followed.fingerprint);
  return look === 'second' || look === 'both' ? lookAgain(source, followed, heads) : 0;
}

/** One step of the engine: hints, then heads, then whoever is due. */
async function takeTurns(source: SolanaSource, claimed: readonly Followed[]): Promise<number> {
  const held = await source.fingerprints(claimed.map(({ account }) => account));
  const first = await source.heads('first');
  const second = await source.heads('second');
  const heads = { confirmed: first.confirmed, finalized: second.finalized };
  let found = 0;
  for (const followed of claimed) found += await takeTurn(source, followed, heads, held.get(followed.account) ?? '');
  return found;
}

async function poll(source: SolanaSource, accounts: readonly Followed[]): Promise<number> {
  let found = 0;
  for (let start = 0; start < accounts.length; start += HINTED_CLAIMS)
    found += await takeTurns(source, accounts.slice(start, start + HINTED_CLAIMS));
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

/** Accounts that were last covered at all times of the past interval. */
async function startAccounts(node: SolanaNode, source: SolanaSource): Promise<Followed[]> {
  const slots = coverSeconds.open * SLOTS_PER_SECOND;
  node.produce(Math.ceil(slots));
  const { confirmed, finalized } = await source.heads('first');
  const accounts = Array.from({ length: ACCOUNTS }, (): Followed['account'] => randomAddress());
  const held = await source.fingerprints(accounts);
  return accounts.map((account, position) => {
    const height = finalized.height - Math.floor((position * slots) / ACCOUNTS);
    const covered = { height, time: node.ledger.blocks.get(height)?.time ?? finalized.time };
    return {
      account,
      state: 'following',
      startAt: 0,
      openUntil: confirmed.time + MINUTE_SECONDS * MINUTE_SECONDS,
      cursor: confirmed,
      version: 0n,
      covered,
      unsettled: undefined,
      failures: 0,
      doubtedMs: undefined,
      fingerprint: { held: held.get(account) ?? '', unexplainedPolls: null },
      seen: 0,
    };
  });
}

export type SolanaCost = {
  /** Calls, by whatever number of HTTP requests. */
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
    const polls = quick ? QUICK_POLLS : POLLS_PER_MINUTE;
    let paid = 0;
    let found = 0;
    node.resetCounts();
    for (let round = 0; round < polls; round += 1) {
      paid += await pay(node, accounts, round);
      node.produce(POLL_SECONDS * SLOTS_PER_SECOND);
      found += await poll(source, accounts);
    }
    const counts = node.counts();
    // A schedule that is cheap because it finds nothing would prove nothing.
    node.finalize();
    found += await poll(source, accounts);
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
