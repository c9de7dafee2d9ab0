import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readAccountState } from '../../src/accounts/account-sql.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { retryUnreadable } from '../../src/accounts/retry-unreadable.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  createReader,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** When claimed accounts are due again, and how their unreadable transactions are asked for. */

let engine: SolanaFixture;
let accounts: string[];
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  accounts = [];
  for (let count = 0; count < 3; count += 1) {
    const store = await openSolanaStore(engine);
    await openQuote(engine, store);
    accounts.push(store.wallet);
  }
  await settle(engine);
});
afterAll(() => engine.close());

const POLL_MS = 1_000;

async function makeDue(due: readonly string[]): Promise<void> {
  await engine.database.pool.query(
    `update followed_accounts set next_read_at = case when account = any($1) then '-infinity'::timestamptz else 'infinity' end`,
    [due],
  );
}

/** In how many seconds each account is due again. */
async function dueIn(): Promise<Map<string, number>> {
  const { rows } = await engine.database.pool.query<{ account: string; seconds: number }>(
    `select account, extract(epoch from next_read_at)::float8 - extract(epoch from clock_timestamp())::float8 as seconds from followed_accounts
     where account = any($1)`,
    [accounts],
  );
  return new Map(rows.map(({ account, seconds }) => [account, seconds]));
}

test('accounts that were claimed while no provider answers are due at the next poll, not when their claim ends', async () => {
  const reader = createReader(engine, { pollMs: { open: POLL_MS, resting: POLL_MS } });
  await followAccounts(reader);
  await finishReading(reader);
  await makeDue(accounts);
  engine.node.behave({ fault: 'html' });
  expect(await followAccounts(reader)).toBe('idle');
  engine.node.behave({ fault: null });
  for (const seconds of (await dueIn()).values()) expect(seconds).toBeLessThan(10);
});

test('an unreadable transaction in the final block itself is asked for as a final one', async () => {
  const [account = ''] = accounts;
  const [height, name] = [50, (offset: number) => `unreadable ${offset}`];
  await engine.database.pool.query(
    `insert into unreadable_transactions (network, account, tx_id, height, below_time, fault, reason)
     select 'SOL', $1, 'unreadable ' || offset_by, $2 + offset_by, now(), 'missing', 'test' from unnest(array[-1, 0, 1]) offset_by`,
    [account, height],
  );
  const asked: [string, readonly string[]][] = [];
  const reader = createReader(engine, {
    source: {
      ...engine.follower.source,
      readTransactions: async ({ commitment, txIds }) => {
        asked.push([commitment, txIds.toSorted()]);
        return { by: 'test', transactions: [] };
      },
    },
  });
  const followed = (await readAccountState(engine.database.queries, 'SOL', account)) ?? fail();
  const finalized = { height, time: 0 };
  await retryUnreadable(reader, followed, { confirmed: finalized, finalized, past: [] });
  expect(Object.fromEntries(asked)).toEqual({
    confirmed: [name(1)],
    finalized: [name(-1), name(0)],
  });
  await engine.database.pool.query('delete from unreadable_transactions');
});
