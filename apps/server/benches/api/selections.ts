import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { FACTS_STATEMENT } from '../../src/checkout/checkout-facts-sql.ts';
import { seededAddress, seededTransId } from '../../rig/invoices/seed-invoices.ts';

/** Input of a bench's selections: invoices without a selection, a network that has been read, fresh prices. */

/** Invoices per run: more than it can use, so that every selection opens a quote. */
const PER_RUN = 15_000;

/**
 * Marks BSC as read to its head, and writes prices on which two sources agree. It runs before every bench run, because
 * prices grow old.
 */
async function openMarket(client: pg.Client): Promise<void> {
  await client.query(`
    insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at)
      select 'BSC', 1000, 'h', at, 1000, at, at from (select now() + interval '1 hour' as at) t
      on conflict (network) do nothing;
    insert into price_reports (source, token, usd, observed_at)
      select source, token, 1, now() from unnest(array['kraken', 'coinbase']) source, unnest(array['USDT', 'USDC']) token
      on conflict (source, token) do update set observed_at = excluded.observed_at`);
}

export type SelectionRuns = {
  /** Refreshes network and prices, and writes the next invoices into a file. */
  prepare(): Promise<{ file: string; transIds: readonly string[] }>;
};

/** Hands out `transIds`, each once. */
export function createSelectionRuns(client: pg.Client, folder: string, transIds: readonly string[]): SelectionRuns {
  let next = 0;
  return {
    prepare: async () => {
      const run = transIds.slice(next, next + PER_RUN);
      if (run.length < PER_RUN) throw new Error('No invoices are left to select for.');
      next += PER_RUN;
      await openMarket(client);
      await client.query(`update invoices set expires_at = now() + interval '30 minutes' where trans_id = any($1)`, [
        run,
      ]);
      const file = join(folder, 'selections');
      writeFileSync(file, run.map((transId) => `${transId}\n`).join(''));
      return { file, transIds: run };
    },
  };
}

/** Number of invoices for a number of runs. */
export const invoicesOfRuns = (runs: number) => runs * PER_RUN;

/**
 * Reads and writes the same rows as a selection in as many statements: the page's facts before and after, the facts of
 * the selection before and under the lock, the price, the quote. It uses another token than ours, so that neither finds
 * the other's quotes.
 */
export function bareSelectScript(stores: number, invoices: number): string {
  const store = `1 + :invoice % ${stores}`;
  const transId = seededTransId(':invoice');
  const page = `${FACTS_STATEMENT.text.replaceAll('$1::text[]', `array[${transId}]`)};`;
  const facts = `
select i.id, i.store_id, s.live, i.status, i.amount_usd, i.expires_at,
  (select json_agg(q) from (select id, network, token, to_address, display_units from quotes where invoice_id = i.id) q) as quotes,
  array(select address from wallets where store_id = i.store_id and removed_at is null) as addresses,
  (select json_agg(c) from (select network, block_time, head_time, head_read_at, frozen_at from chains where retired_at is null) c) as followed
from invoices i join stores s on s.id = i.store_id where i.trans_id = ${transId}`;
  return `\\set invoice random(0, ${invoices - 1})
\\set units random(50000001, 50009999)
${page}
${facts};
select source, usd, observed_at from price_reports where token = 'USDC'
union all (select null, usd, decided_at from price_history where token = 'USDC' and decided_at >= now() - interval '1 minute');
begin;
${facts} for update of i;
with drawn as materialized (
  select i.id as invoice_id, nextval('quotes_id_seq') as id from invoices i where i.trans_id = ${transId}
    and not exists (select from quotes q where q.invoice_id = i.id and q.network = 'BSC' and q.token = 'USDC')
), slot as (
  insert into amount_slots as s (network, token, address, display_units, quote_id)
  select 'BSC', 'USDC', ${seededAddress(store)}, :units, id from drawn
  on conflict (network, token, address, display_units) do update set quote_id = excluded.quote_id where s.held_until < now()
  returning quote_id
), selected as (
  insert into quotes (id, invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
    price_sources, held_from)
  overriding system value
  select d.id, d.invoice_id, 'BSC', 'USDC', ${seededAddress(store)}, :units / 1000000.0, 1, now(), :units, 'finalized',
    '[{"source":"coinbase","usd":"1","at":"2026-01-01T00:00:00.000Z"},{"source":"kraken","usd":"1","at":"2026-01-01T00:00:00.000Z"}]', now()
  from drawn d join slot s on s.quote_id = d.id returning id, invoice_id
), shown as (
  update invoices i set quote_id = s.id, gate_network = coalesce(i.gate_network, 'BSC'), gate_tier = coalesce(i.gate_tier, 'finalized'),
    gate_scope = coalesce(i.gate_scope, '')
  from selected s where i.id = s.invoice_id returning i.id
)
insert into invoice_changes (invoice_id) select id from shown;
commit;
${page}
`;
}
