import type { Database } from '../src/db/database.ts';
import type { Faults } from './concurrency-client.ts';
import { drillLedger } from './concurrency-ledger.ts';

/** What the rows say, by statements of the drill's own. */

export type InvoiceRow = {
  id: string;
  transId: string;
  status: 'waiting' | 'processing' | 'completed' | 'expired';
  amountUsd: number;
  expiresAt: number;
  late: boolean;
  tx: string | null;
  wantsEvents: boolean;
  past: boolean;
  completedEvents: number;
  expiredEvents: number;
  quotes: { network: string; token: string; to: string; amount: string; madeAt: number }[];
};

export async function readInvoiceRows(database: Database): Promise<InvoiceRow[]> {
  const { rows } = await database.pool.query<InvoiceRow>(`
    select i.id::text, i.trans_id as "transId", i.status, i.amount_usd::float8 as "amountUsd", i.late, i.transaction_hash as tx,
      extract(epoch from i.expires_at)::float8 as "expiresAt", i.callback_url is not null as "wantsEvents",
      i.expires_at < now() as past, coalesce(e.completed, 0) as "completedEvents", coalesce(e.expired, 0) as "expiredEvents",
      coalesce(q.quotes, '[]') as quotes
    from invoices i
      left join (select invoice_id, count(*) filter (where type = 'invoice.completed')::integer as completed,
          count(*) filter (where type = 'invoice.expired')::integer as expired from events group by invoice_id) e on e.invoice_id = i.id
      left join (select invoice_id, json_agg(json_build_object('network', network, 'token', token, 'to', to_address,
          'amount', token_amount::text, 'madeAt', extract(epoch from created_at)::float8)) as quotes
        from quotes group by invoice_id) q on q.invoice_id = i.id
    order by i.id`);
  return rows;
}

/** How the one or two holds of each invoice must have ended. */
const HOLD_CHECKS: Record<string, string> = {
  'a completed invoice is not captured exactly once': `
    select i.trans_id as found from invoices i
      left join ledger_entries e on e.invoice_id = i.id and e.kind = 'capture'
    where i.status = 'completed' and i.fee_micro_usd > 0
    group by i.id having count(e.id) <> 1 or sum(e.micro_usd) <> i.fee_micro_usd`,
  'an expired invoice is not released exactly once': `
    select i.trans_id as found from invoices i
      left join ledger_entries e on e.invoice_id = i.id and e.kind in ('release', 'capture')
    where i.status = 'expired' and i.fee_micro_usd > 0
    group by i.id having count(e.id) <> 1 or min(e.kind) <> 'release' or sum(e.micro_usd) <> i.fee_micro_usd`,
  'a completed invoice was released though it never expired': `
    select i.trans_id as found from invoices i join ledger_entries e on e.invoice_id = i.id and e.kind = 'release'
    where i.status = 'completed' and not i.late`,
  'a hold has more than one end': `
    select invoice_id::text as found from ledger_entries where kind in ('capture', 'release')
    group by invoice_id, hold_number having count(*) > 1`,
  'an end has no hold': `
    select e.invoice_id::text as found from ledger_entries e
      left join ledger_entries h on h.invoice_id = e.invoice_id and h.hold_number = e.hold_number and h.kind = 'hold'
    where e.kind in ('capture', 'release') and h.id is null`,
  'an open invoice has an end': `
    select i.trans_id as found from invoices i join ledger_entries e on e.invoice_id = i.id and e.kind in ('capture', 'release')
    where i.status in ('waiting', 'processing')`,
};

export async function checkLedger(database: Database, faults: Faults): Promise<number> {
  let imbalance = await drillLedger(database, faults);
  for (const [meaning, statement] of Object.entries(HOLD_CHECKS)) {
    const { rows } = await database.pool.query<{ found: string }>(statement);
    imbalance += rows.length;
    for (const { found } of rows) faults.add(`ledger: ${meaning} (${found})`);
  }
  return imbalance;
}
