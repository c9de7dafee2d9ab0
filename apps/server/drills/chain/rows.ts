import type { Database } from '../../src/db/database.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { drillLedger } from '../concurrency/ledger.ts';

/** Rows of the database, read by the drill's own queries. */

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

/** All invoices, each with its quotes in the order of their creation; `now` is by the chains' clock. */
export async function readInvoiceRows(database: Database, now: Date): Promise<InvoiceRow[]> {
  const { rows } = await database.pool.query<InvoiceRow>(
    `
    select i.id::text, i.trans_id as "transId", i.status, i.amount_usd::float8 as "amountUsd", i.late, i.transaction_hash as tx,
      extract(epoch from i.expires_at)::float8 as "expiresAt", i.callback_url is not null as "wantsEvents",
      i.expires_at < $1 as past, coalesce(e.completed, 0) as "completedEvents", coalesce(e.expired, 0) as "expiredEvents",
      coalesce(q.quotes, '[]') as quotes
    from invoices i
      left join (select invoice_id, count(*) filter (where type = 'invoice.completed')::integer as completed,
          count(*) filter (where type = 'invoice.expired')::integer as expired from events group by invoice_id) e on e.invoice_id = i.id
      left join (select invoice_id, json_agg(json_build_object('network', network, 'token', token, 'to', to_address,
          'amount', token_amount::text, 'madeAt', extract(epoch from created_at)::float8) order by id) as quotes
        from quotes group by invoice_id) q on q.invoice_id = i.id
    order by i.id`,
    [now],
  );
  return rows;
}

export type TransferRow = {
  network: string;
  tx: string;
  index: string;
  token: string;
  to: string;
  units: string;
  /** Whether the transfer pays an invoice, or has a reason why not. */
  explained: boolean;
};

/** All canonical transfers. */
export async function readTransferRows(database: Database): Promise<TransferRow[]> {
  const { rows } = await database.pool.query<TransferRow>(`
    select network, tx_id as tx, index, token, to_address as "to", units::text,
      (reason is not null or invoice_id is not null) as explained
    from transfers where canonical`);
  return rows;
}

/** Queries for invoices whose end is not explained by any fact. */
const END_CHECKS: Record<string, string> = {
  'is completed without exactly one payment': `
    select i.trans_id as found, q.network from invoices i join quotes q on q.id = i.quote_id
      left join transfers t on t.invoice_id = i.id and t.canonical and t.reason is null and t.tx_id = i.transaction_hash
    where i.status = 'completed' group by i.id, q.network having count(t.id) <> 1`,
  'is processing without a payment': `
    select i.trans_id as found, q.network from invoices i join quotes q on q.id = i.quote_id
    where i.status = 'processing' and not exists (select from transfers t where t.invoice_id = i.id and t.canonical)`,
  'is expired though a payment is attached to it': `
    select i.trans_id as found, t.network from invoices i join transfers t on t.invoice_id = i.id and t.canonical and t.reason is null
    where i.status = 'expired'`,
  'is expired though a network of its quotes was not covered past its end': `
    select i.trans_id as found, q.network from invoices i join quotes q on q.invoice_id = i.id
    where i.status = 'expired' and not exists (
      select from chain_coverage c where c.network = q.network and c.tier = q.finality and c.block_time > i.expires_at
        and c.scope in ('', q.to_address))`,
};

export type UnexplainedEnd = { transId: string; network: string; meaning: string };

export async function findUnexplainedEnds(database: Database): Promise<UnexplainedEnd[]> {
  const found: UnexplainedEnd[] = [];
  for (const [meaning, statement] of Object.entries(END_CHECKS)) {
    const { rows } = await database.pool.query<{ found: string; network: string }>(statement);
    found.push(...rows.map((row) => ({ transId: row.found, network: row.network, meaning })));
  }
  return found;
}

/** Queries for holds that did not end as they must; an invoice has one or two holds. */
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
