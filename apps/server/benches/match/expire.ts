import type pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { runBareExpire } from './pgbench-baseline.ts';
import { seedDueInvoices } from './seed.ts';

/** Measures expiry of due invoices against the same rows written by pgbench. */

/** Invoices that the engine ends in one transaction. */
const BATCH = 500;

async function expireAll(database: Database, expected: number): Promise<number> {
  const startedAt = performance.now();
  let expired = 0;
  for (;;) {
    const ended = await expireDueInvoices({ database, clock: systemClock });
    if (ended === 0) break;
    expired += ended;
  }
  if (expired !== expected) throw new Error(`${expired} invoices expired, not ${expected}.`);
  return (expired * 1000) / (performance.now() - startedAt);
}

async function requireExpired(client: pg.Client, from: number, count: number): Promise<void> {
  const { rows } = await client.query<{ expired: number; characters: number }>(
    `select count(*)::integer as expired, avg(length(e.body))::integer as characters
     from invoices i
       join events e on e.invoice_id = i.id and e.type = 'invoice.expired' and (e.body::jsonb -> 'data' ->> 'trans_id') = i.trans_id
      join deliveries d on d.event_row_id = e.id and d.state = 'pending'
       join ledger_entries l on l.invoice_id = i.id and l.kind = 'release'
       left join quotes q on q.id = i.quote_id
       left join amount_slots s on s.network = q.network and s.token = q.token and s.address = q.to_address and s.display_units = q.display_units
     where i.id > $1 and i.id <= $2 and i.status = 'expired'
       and (q.id is null or (q.held_to < 'infinity' and s.held_until < 'infinity'))`,
    [from, from + count],
  );
  console.log(`rows checked: ${rows[0]?.expired} expired (events of ${rows[0]?.characters} characters)`);
  if (rows[0]?.expired !== count) throw new Error(`Of ${count} expiries some were not written whole.`);
}

export type ExpiryRound = { bare: number; ours: number };

/** Runs one round: pgbench expires `count` invoices, then the engine as many. It uses numbers from `from` on. */
export async function compareExpiry(
  database: Database,
  client: pg.Client,
  tools: { binaries: string; url: string },
  from: number,
  count: number,
): Promise<ExpiryRound> {
  await seedDueInvoices(client, from, from + count);
  const bare = runBareExpire(tools.binaries, tools.url, from, count, BATCH);
  await requireExpired(client, from, count);
  await seedDueInvoices(client, from + count, from + 2 * count);
  const ours = await expireAll(database, count);
  await requireExpired(client, from + count, count);
  return { bare, ours };
}
