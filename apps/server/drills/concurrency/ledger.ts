import type { Database } from '../../src/db/database.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { Faults } from '../../rig/report/faults.ts';

/** Judges the ledger by the product's own check and by queries that do not depend on that check. */

const MAX_FAULTS = 1_000;

const CHECKS: Record<string, string> = {
  'the accounts do not add up to zero': `
    select sum(moved)::text as found from (
      select -micro_usd as moved from ledger_entries union all select micro_usd from ledger_entries
    ) entries having sum(moved) <> 0`,
  'money is available or held that nobody put in': `
    with moves as (
      select from_account as account, -micro_usd as moved from ledger_entries
      union all select to_account, micro_usd from ledger_entries
    )
    select sum(moved)::text as found from moves where account in ('available', 'held', 'revenue')
    having sum(moved) <> (select -coalesce(sum(moved), 0) from moves where account = 'funding')`,
  'a balance is not what its entries say': `
    select b.store_id::text as found from balances b
    where b.available_micro_usd <> coalesce((select sum(micro_usd) from ledger_entries e
        where e.store_id = b.store_id and to_account = 'available'), 0)
      - coalesce((select sum(micro_usd) from ledger_entries e
        where e.store_id = b.store_id and from_account = 'available'), 0)`,
  'a balance is below zero': `select store_id::text as found from balances where available_micro_usd < 0`,
  'an open invoice has not exactly one hold of its fee': `
    select i.trans_id as found from invoices i
    where i.status in ('waiting', 'processing') and i.fee_micro_usd > 0
      and 1 <> (select count(*) from ledger_entries e where e.invoice_id = i.id and e.kind = 'hold'
        and e.store_id = i.store_id and e.micro_usd = i.fee_micro_usd)`,
  'a hold has no invoice': `
    select e.id::text as found from ledger_entries e
    where e.kind = 'hold' and not exists (select from invoices i where i.id = e.invoice_id)`,
};

/** Counts faults of the ledger; each fault is also reported in words. */
export async function drillLedger(database: Database, faults: Faults): Promise<number> {
  let imbalance = 0;
  for (const { storeId, fault } of await findLedgerFaults(database.queries, MAX_FAULTS)) {
    imbalance += 1;
    faults.add(`ledger of store ${storeId}: ${fault}`);
  }
  for (const [meaning, statement] of Object.entries(CHECKS)) {
    const { rows } = await database.pool.query<{ found: string }>(statement);
    imbalance += rows.length;
    for (const { found } of rows) faults.add(`ledger: ${meaning} (${found})`);
  }
  return imbalance;
}
