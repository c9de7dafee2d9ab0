import type { Address } from '@solana/kit';
import { findNetwork } from '../src/networks/network.ts';
import type { AccountMark } from '../src/transfers/account-source.ts';
import type { SolanaSource } from '../src/transfers/sources/solana/solana-source.ts';
import { createSolanaSource } from '../src/transfers/sources/solana/solana-source.ts';
import { randomAddress } from '../test/chain/solana-accounts.ts';
import { USDT } from '../test/chain/solana-mints.ts';
import type { SolanaNode } from '../test/chain/solana-node.ts';
import { startSolanaNode } from '../test/chain/solana-node.ts';
import { paySpl } from '../test/chain/solana-payment.ts';

/**
 * What following Solana costs a provider: every call counts, also those that share a request, because that is how
 * providers count. The chain's time is simulated, and the schedule is that of the follower of accounts: what they hold
 * is compared at every poll, a change is looked at at once and again when it is final, and each account is listed whole
 * from time to time, because money that came and went leaves no change.
 */

const ACCOUNTS = 100;
const POLL_SECONDS = 2;
const SLOTS_PER_POLL = 5;
const HINTED_AT_ONCE = 33;
const COVERAGE_AGE_SECONDS = 60;
const POLLS_PER_MINUTE = 60 / POLL_SECONDS;
const SLOTS_PER_MINUTE = POLLS_PER_MINUTE * SLOTS_PER_POLL;
const QUICK_POLLS = 10;
/** Of all accounts together: each of them is paid once a minute. */
const PAYMENTS_PER_MINUTE = ACCOUNTS;

type Heads = { confirmed: AccountMark; finalized: AccountMark };
type Followed = {
  account: Address;
  cursor: AccountMark;
  covered: AccountMark;
  fingerprint: string | undefined;
  /** The newest payment that is not final. */
  pending: number | null;
};

async function lookFirst(source: SolanaSource, followed: Followed, { confirmed }: Heads): Promise<void> {
  if (followed.cursor.height >= confirmed.height) return;
  const request = { account: followed.account, after: followed.cursor.height, upTo: confirmed };
  const { transfers, end } = await source.readAccount({ ...request, commitment: 'confirmed', pass: 'first' });
  for (const { height } of transfers)
    if (height > followed.cursor.height) followed.pending = Math.max(followed.pending ?? 0, height);
  followed.cursor = end;
}

/** How many payments became final. */
async function lookAgain(source: SolanaSource, followed: Followed, { finalized }: Heads): Promise<number> {
  const { account, covered } = followed;
  if (finalized.height <= covered.height) return 0;
  const request = { account, after: covered.height, upTo: finalized };
  const { transfers, end } = await source.readAccount({ ...request, commitment: 'finalized', pass: 'second' });
  followed.covered = end;
  if (followed.pending !== null && followed.pending <= end.height) followed.pending = null;
  return transfers.filter(({ height }) => height > covered.height).length;
}

async function poll(source: SolanaSource, accounts: readonly Followed[]): Promise<number> {
  const first = await source.heads('first');
  const second = await source.heads('second');
  const heads = { confirmed: first.confirmed, finalized: second.finalized };
  const prints = new Map<string, string>();
  for (let start = 0; start < accounts.length; start += HINTED_AT_ONCE) {
    const part = accounts.slice(start, start + HINTED_AT_ONCE).map(({ account }) => account);
    for (const [account, print] of await source.fingerprints(part)) prints.set(account, print);
  }
  let found = 0;
  for (const followed of accounts) {
    const print = prints.get(followed.account);
    const changed = print !== followed.fingerprint;
    const isFinal = followed.pending !== null && followed.pending <= heads.finalized.height;
    const isOld = heads.finalized.time - followed.covered.time >= COVERAGE_AGE_SECONDS;
    followed.fingerprint = print;
    if (changed || isFinal || isOld) await lookFirst(source, followed, heads);
    if (isFinal || isOld) found += await lookAgain(source, followed, heads);
  }
  return found;
}

async function pay(node: SolanaNode, accounts: readonly Followed[], round: number): Promise<number> {
  const payments = Math.round(PAYMENTS_PER_MINUTE / POLLS_PER_MINUTE);
  for (let payment = 0; payment < payments; payment += 1) {
    const { account } = accounts[(round * payments + payment) % accounts.length] ?? {};
    if (account) await paySpl(node, { mint: USDT, to: account, units: BigInt(round + 1) });
  }
  return payments;
}

/** Accounts that were last covered at all times of the past minute. */
async function startAccounts(node: SolanaNode, source: SolanaSource): Promise<Followed[]> {
  node.produce(SLOTS_PER_MINUTE);
  const { confirmed, finalized } = await source.heads('first');
  const accounts = Array.from({ length: ACCOUNTS }, (_unused, position): Followed => {
    const height = finalized.height - Math.floor((position * SLOTS_PER_MINUTE) / ACCOUNTS);
    const time = node.ledger.blocks.get(height)?.time ?? finalized.time;
    const covered = { height, time };
    return { account: randomAddress(), cursor: confirmed, covered, fingerprint: undefined, pending: null };
  });
  for (const [account, print] of await source.fingerprints(accounts.map((one) => one.account)))
    for (const followed of accounts) if (followed.account === account) followed.fingerprint = print;
  return accounts;
}

export type SolanaCost = {
  /** Calls, by whatever number of HTTP requests. */
  requests_per_min: number;
  http_requests_per_min: number;
  calls_per_min: Record<string, number>;
};

export async function measureSolana({ quick }: { quick: boolean }): Promise<SolanaCost> {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL in our list.');
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
      node.produce(SLOTS_PER_POLL);
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
