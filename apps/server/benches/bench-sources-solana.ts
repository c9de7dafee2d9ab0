import type { Address } from '@solana/kit';
import { findNetwork } from '../src/networks/network.ts';
import type { AccountMark, AccountSource } from '../src/transfers/account-source.ts';
import { createSolanaSource } from '../src/transfers/sources/solana/solana-source.ts';
import { randomAddress } from '../test/chain/solana-accounts.ts';
import { USDT } from '../test/chain/solana-mints.ts';
import type { SolanaNode } from '../test/chain/solana-node.ts';
import { startSolanaNode } from '../test/chain/solana-node.ts';
import { paySpl } from '../test/chain/solana-payment.ts';

/**
 * What following Solana costs a provider: every call counts, also those that share a request, because that is how
 * providers count. The chain's time is simulated; the schedule is that of account-follower.ts.
 */

const ACCOUNTS = 100;
const ROUND_SECONDS = 2;
const SLOTS_PER_ROUND = 5;
const ROUNDS_PER_MINUTE = 60 / ROUND_SECONDS;
const QUICK_ROUNDS = 10;
/** Of all accounts together: each of them is paid once a minute. */
const PAYMENTS_PER_MINUTE = ACCOUNTS;

/** Documented for public mainnet nodes, by address: https://solana.com/docs/references/clusters */
export const PUBLIC_LIMITS = { callsPerMinute: 600, callsPerMethodPerMinute: 240 };

type Followed = { account: Address; cursor: number; covered: number };

async function look(source: AccountSource, followed: Followed, to: { confirmed: AccountMark; finalized: AccountMark }) {
  const { account } = followed;
  const first = await source.readAccount({
    account,
    after: followed.cursor,
    upTo: to.confirmed,
    commitment: 'confirmed',
    pass: 'first',
  });
  followed.cursor = first.end.height;
  if (to.finalized.height <= followed.covered) return 0;
  const second = await source.readAccount({
    account,
    after: followed.covered,
    upTo: to.finalized,
    commitment: 'finalized',
    pass: 'second',
  });
  const found = second.transfers.filter(({ height }) => height > followed.covered).length;
  followed.covered = second.end.height;
  return found;
}

async function pay(node: SolanaNode, accounts: readonly Followed[], round: number): Promise<number> {
  const payments = Math.round(PAYMENTS_PER_MINUTE / ROUNDS_PER_MINUTE);
  for (let payment = 0; payment < payments; payment += 1) {
    const { account } = accounts[(round * payments + payment) % accounts.length] ?? {};
    if (account) await paySpl(node, { mint: USDT, to: account, units: BigInt(round + 1) });
  }
  return payments;
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
    const network = findNetwork('SOL');
    if (!network) throw new Error('There is no SOL in our list.');
    const source = createSolanaSource(network, [node.url]);
    await source.verify();
    const { confirmed, finalized } = await source.heads('first');
    const accounts = Array.from({ length: ACCOUNTS }, (): Followed => {
      return { account: randomAddress(), cursor: confirmed.height, covered: finalized.height };
    });
    const rounds = quick ? QUICK_ROUNDS : ROUNDS_PER_MINUTE;
    let paid = 0;
    let found = 0;
    node.resetCounts();
    for (let round = 0; round < rounds; round += 1) {
      paid += await pay(node, accounts, round);
      node.produce(SLOTS_PER_ROUND);
      const first = await source.heads('first');
      const second = await source.heads('second');
      for (const followed of accounts)
        found += await look(source, followed, { confirmed: first.confirmed, finalized: second.finalized });
    }
    const counts = node.counts();
    // A schedule that is cheap because it finds nothing would prove nothing.
    node.finalize();
    const last = await source.heads('second');
    for (const followed of accounts) found += await look(source, followed, last);
    if (found !== paid) throw new Error(`${paid} payments were made and ${found} found.`);
    const perMinute = (count: number) => Math.round((count * ROUNDS_PER_MINUTE) / rounds);
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
