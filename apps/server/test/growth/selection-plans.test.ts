import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { closeDatabase } from '../../src/db/database.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { findWaste, findWholeScans } from '../../rig/growth/judge-plans.ts';
import type { RecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import { openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, VISITOR } from '../../rig/stores/open-store.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** A selection reads by indexes, however many invoices, quotes and amounts there are. */

const PAST = 20_000;

let own: TestDatabase;
let store: TestStore;
let recording: RecordingDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  // Statements are prepared while the tables are empty: their plans stay when the tables have grown.
  recording = openRecordingDatabase(own.url, 1, 'api');
  await seed(0, 3);
  await select(1);
  await seed(3, PAST);
});
afterAll(async () => {
  await closeDatabase(recording.database);
  await own.drop();
});

const transIdOf = (n: number) => `TID-${String(n).padStart(16, '0')}`;

/** Seeds invoices at one address, as a busy store leaves them. */
async function seed(from: number, to: number): Promise<void> {
  const { pool } = own.database;
  await pool.query(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
     select $1, 'TID-' || lpad(n::text, 16, '0'), 50, now(), now() + interval '30 minutes', 250000
     from generate_series($2::integer, $3::integer - 1) n`,
    [store.id, from, to],
  );
  await pool.query(
    `insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
       finality, price_sources, held_from)
     select i.id, 'BSC', 'USDC', w.address, 60, 1, now(), 60000000 + i.id, 'finalized', '[]', now()
     from invoices i join wallets w on w.store_id = i.store_id where i.trans_id >= $1`,
    [transIdOf(from)],
  );
  await pool.query(`
    insert into amount_slots (network, token, address, display_units, quote_id)
      select network, 'USDT', to_address, display_units, id from quotes on conflict do nothing;
    insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at)
      select 'BSC', 1000, 'h', now(), 1000, now(), now() on conflict do nothing;
    insert into price_reports (source, token, usd, observed_at)
      select source, 'USDT', 1, now() from unnest(array['kraken', 'coinbase']) source
      on conflict (source, token) do update set observed_at = excluded.observed_at;
    analyze`);
}

const select = (n: number) =>
  selectPaymentMethod({ networks: NETWORKS, database: recording.database, clock: systemClock }, VISITOR, {
    transId: transIdOf(n),
    network: 'BSC',
    token: 'USDT',
  });

test('no statement of a selection reads a table whole, or reads rows only to discard them', async () => {
  recording.take();
  expect(await select(PAST / 2)).toMatchObject({ selected: true });
  expect(await select(PAST / 2)).toMatchObject({ selected: true });
  const recorded = recording.take();
  expect(new Set(recorded.map(({ label }) => label))).toEqual(
    new Set([
      'invoices/selection-sql readSelectionFacts',
      'invoices/selection-sql showQuote',
      'prices/price-sql readPriceFacts',
      'quotes/quote-sql insertQuote',
    ]),
  );
  expect(findWholeScans(recorded)).toEqual([]);
  expect(findWaste(recorded)).toEqual([]);
});
