import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice } from '../../rig/invoices/make-unmatched.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { readUnprovenPayments } from './account-proof-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const { transId } = await quoteInvoice(own.database, await openStore(own.database), '5');
  await own.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       invoice_id)
     select 'SOL', tx_id, 'USDT:0', 'USDT', 'payer', 'own', 1, height, 'here', now(), now(),
       (select id from invoices where trans_id = $1)
     from (values ('later', 12), ('sooner', 11), ('covered', 10), ('open', 21), ('elsewhere', 12), ('other-network', 12), ('gone', 12),
       ('unmatched', 12), ('explained', 12), ('settled', 12), ('moved', 13)) as one (tx_id, height)`,
    [transId],
  );
  for (const [txId, change] of [
    ['elsewhere', `to_address = 'other'`],
    ['other-network', `network = 'TRON'`],
    ['gone', 'canonical = false'],
    ['unmatched', 'invoice_id = null'],
    ['explained', `reason = 'already_paid'`],
    ['settled', `settled_hash = 'here'`],
    ['moved', `settled_hash = 'another block'`],
  ] as const)
    await own.database.pool.query(`update transfers set ${change} where tx_id = $1`, [txId]);
});
afterAll(() => own.drop());

test('unproven payments of an account are those above its coverage that are final and not settled in their block', async () => {
  const unproven = await readUnprovenPayments(own.database.queries, 'SOL', 'own', { above: 10, upTo: 20, limit: 10 });
  expect(unproven.map(({ txId }) => txId)).toEqual(['sooner', 'later', 'moved']);
});
