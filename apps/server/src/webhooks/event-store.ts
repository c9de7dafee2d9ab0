import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import type { EventType } from './event.ts';

/** How many events each of these invoices has. */
export async function countEvents(tx: Tx, invoiceIds: readonly bigint[]): Promise<Map<bigint, number>> {
  const { rows } = await sql<{ invoice_id: bigint; events: number }>`
    select invoice_id, count(*)::integer as events from events where invoice_id = any(${invoiceIds}::bigint[]) group by invoice_id`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.invoice_id, row.events]));
}

export type NewEvent = {
  eventId: string;
  storeId: bigint;
  invoiceId: bigint;
  sequence: number;
  type: EventType;
  body: string;
};

export async function insertEvents(tx: Tx, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
    select event_id, store_id, invoice_id, sequence, type, body, ${at}
    from unnest(${events.map((event) => event.eventId)}::text[], ${events.map((event) => event.storeId)}::bigint[],
      ${events.map((event) => event.invoiceId)}::bigint[], ${events.map((event) => event.sequence)}::integer[],
      ${events.map((event) => event.type)}::text[], ${events.map((event) => event.body)}::text[])
      as e (event_id, store_id, invoice_id, sequence, type, body)`.execute(tx);
}
