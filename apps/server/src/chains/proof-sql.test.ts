import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { readUnproven } from './proof-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const { id: storeId } = await openStore(own.database, { wallet: false });
  await own.database.pool.query(
    `with invoice as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       values ($1, 'TID-AAAAAAAAAAAAAAAA', 5000, now(), now() + interval '30 minutes', 0) returning id
     ), quote as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from)
       select id, 'ETH', 'USDT', '0x2', 5000, 1, now(), 5, 'conf:64', '[]', now() from invoice returning id, invoice_id
     )
     insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       invoice_id, quote_id)
     select 'ETH', '0xab', 'USDT:0', 'USDT', '0x1', '0x2', 1, 10, '0xa', now(), now(), invoice_id, id from quote`,
    [storeId],
  );
});
afterAll(() => own.drop());

test.each<[string, string | null, string | null, boolean]>([
  ['was never proven is due', null, null, true],
  ['was proven for a shallower tier is due', '0xa', 'conf:12', true],
  ['was proven in another block is due', '0xb', 'conf:64', true],
  ['was proven in its block for its tier is not due', '0xa', 'conf:64', false],
])('a payment that %s', async (_what, hash, tier, isDue) => {
  await own.database.pool.query('update transfers set settled_hash = $1, settled_tier = $2', [hash, tier]);
  const spans = [{ tier: 'conf:64', above: 5, upTo: 20 }];
  const due = await readUnproven(own.database.queries, 'ETH', spans, [], 10);
  expect(due.map(({ txId }) => txId)).toEqual(isDue ? ['0xab'] : []);
});
