import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { createFindEnds, findDueAtRemoved, findDueGates, lockWaiting } from './expiry-sql.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));

let own: TestDatabase;
let storeId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  storeId = (await openStore(own.database, { wallet: false })).id;
});
afterAll(() => own.drop());

let made = 0;
async function makeWaiting(gate: { network: string; scope: string }, expiresAt: Date): Promise<bigint> {
  made += 1;
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, gate_network, gate_tier, gate_scope)
     values ($1, 'TID-' || lpad($2::text, 16, '0'), 50, $3, $4, 0, $5, 'finalized', $6) returning id`,
    [storeId, String(made), at(0), expiresAt, gate.network, gate.scope],
  );
  return rows[0]?.id ?? 0n;
}

test('a gate is due once it is covered past the end of an invoice that waits for it', async () => {
  await makeWaiting({ network: 'BSC', scope: '' }, at(30));
  await makeWaiting({ network: 'ETH', scope: '' }, at(45));
  const gates = ['BSC', 'ETH', 'BASE'].map((network) => ({
    network,
    tier: 'finalized',
    scope: '',
    coveredUntil: at(40),
  }));
  const due = await findDueGates(own.database.queries, gates);
  expect(due.map(({ network }) => network)).toEqual(['BSC']);
});

test('an account is read up to the earliest end that its coverage has not passed', async () => {
  await own.database.pool.query(
    `insert into chain_coverage (network, scope, tier, height, block_time) values ('SOL', 'one', 'finalized', 1, $1)`,
    [at(10)],
  );
  for (const minutes of [5, 50, 30, 40]) await makeWaiting({ network: 'SOL', scope: 'one' }, at(minutes));
  const ends = await createFindEnds(own.database.queries)('SOL', ['one']);
  expect([...ends]).toEqual([['one', at(30).getTime() / 1000]]);
});

test('an invoice that is being paid since it was found is not locked for its expiry', async () => {
  const gate = { network: 'SOL', scope: 'two' };
  const [waiting, paid] = [await makeWaiting(gate, at(5)), await makeWaiting(gate, at(5))];
  await own.database.pool.query(`update invoices set status = 'processing' where id = $1`, [paid]);
  expect(await inTransaction(own.database, (tx) => lockWaiting(tx, [waiting, paid]))).toEqual([waiting]);
});

test('an invoice at an exchange account that was given up is due once it has ended, and no other is', async () => {
  const network = 'EXCHANGE_PAY:BINANCE';
  await own.database.pool.query(
    `insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
       is_sub_account, added_at, checked_at, check_due_at, removed_at)
     select $1, account, (select min(id) from merchants), (select min(id) from secrets), 'https://x.test', 'abcd', true, false, now(), now(),
       now(), removed_at
     from (values ('given-up', now()), ('followed', null)) as one (account, removed_at)`,
    [network],
  );
  const due = await makeWaiting({ network, scope: 'given-up' }, at(30));
  await makeWaiting({ network, scope: 'given-up' }, at(50));
  await makeWaiting({ network, scope: 'followed' }, at(30));
  expect(await findDueAtRemoved(own.database.queries, at(40), 10)).toEqual([due]);
});
