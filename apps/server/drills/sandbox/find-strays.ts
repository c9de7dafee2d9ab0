import type { Database } from '../../src/db/database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** Finds strays: effects of the sandbox on a store or invoice that did not ask for them. */

const SETTLED_MS = 20_000;
const LOOK_MS = 250;

const STRAYS: Record<string, string> = {
  'a test payment belongs to an invoice of another store': `
    select t.tx_id from transfers t join sandbox_transfers x on x.tx_id = t.tx_id and x.network = t.network
    where t.invoice_id is not null and t.invoice_id <> x.invoice_id`,
  'an invoice was completed by a payment that was not made for it': `
    select i.trans_id from invoices i join transfers t on t.id = i.paid_transfer_id
      left join sandbox_transfers x on x.tx_id = t.tx_id and x.invoice_id = i.id where x.id is null`,
  'an invoice expired although it was paid in time': `
    select i.trans_id from invoices i join sandbox_transfers x on x.invoice_id = i.id
      join quotes q on q.invoice_id = i.id and q.network = x.network and q.token = x.token
      join transfers t on t.tx_id = x.tx_id and t.canonical and t.invoice_id = i.id
    where i.status = 'expired' and not x.gone and x.paid_at <= i.expires_at`,
  'an invoice has more than one event of a kind': `
    select invoice_id::text from events group by invoice_id, type having count(*) > 1`,
  'an act was left undone': `select id::text from sandbox_acts where done_at is null and due_at < now() - interval '5 seconds'`,
  'an account of the sandbox froze its network': `select network from chains where frozen_at is not null`,
  'an operator was alarmed': `select kind || ' ' || subject from alarms`,
};

async function look(database: Database, calm: TestStore): Promise<string[]> {
  const found: string[] = [];
  for (const [what, statement] of Object.entries(STRAYS)) {
    const { rows } = await database.pool.query<Record<string, string>>(statement);
    found.push(...rows.map((row) => `${what}: ${Object.values(row)[0]}`));
  }
  const touched = await database.pool.query<{ trans_id: string }>(
    `select i.trans_id from invoices i where i.store_id = $1 and (i.status <> 'completed' or i.late
       or exists (select from transfers t join sandbox_transfers x on x.tx_id = t.tx_id where x.invoice_id = i.id and not t.canonical))`,
    [calm.id],
  );
  return [...found, ...touched.rows.map((row) => `a calm invoice was disturbed: ${row.trans_id}`)];
}

/** Looks for strays until there are none or the time is over: the effects of the last acts may still be under way. */
export async function findStrays(database: Database, calm: TestStore): Promise<string[]> {
  const untilMs = performance.now() + SETTLED_MS;
  let found = await look(database, calm);
  while (found.length > 0 && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    found = await look(database, calm);
  }
  return found;
}
