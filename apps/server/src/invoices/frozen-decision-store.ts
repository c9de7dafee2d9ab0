import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Invoices with a payment that was judged while its network was frozen: each is decided again when it is not. */

export type FrozenDecision = { network: string; invoiceId: bigint };

/** Written under the invoices' locks, with the decision that a freeze kept from being made. */
export async function rememberFrozen(tx: Tx, decisions: readonly FrozenDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  await sql`
    insert into frozen_decisions (network, invoice_id)
    select distinct network, id from unnest(${decisions.map(({ network }) => network)}::text[],
      ${decisions.map(({ invoiceId }) => invoiceId)}::bigint[]) as d (network, id)
    order by id, network
    on conflict (network, invoice_id) do nothing`.execute(tx);
}

/** Those whose network is frozen no more: one probe of the index for each network, whatever waits on frozen ones. */
export async function findThawed(queries: Queries, limit: number): Promise<FrozenDecision[]> {
  const { rows } = await sql<FrozenDecision>`
    select d.network, d.invoice_id as "invoiceId" from chains h
      cross join lateral (select network, invoice_id from frozen_decisions f
        where f.network = h.network order by f.invoice_id limit ${limit}) d
    where h.frozen_at is null limit ${limit}`.execute(queries);
  return rows;
}

/** Locks those that nobody else works on; the others are found again. */
export async function lockThawed(tx: Tx, decisions: readonly FrozenDecision[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select id from invoices where id = any(${decisions.map(({ invoiceId }) => invoiceId)}::bigint[])
    order by id for update skip locked`.execute(tx);
  return rows.map((row) => row.id);
}

export async function forgetFrozen(tx: Tx, decisions: readonly FrozenDecision[]): Promise<void> {
  await sql`
    delete from frozen_decisions f using unnest(${decisions.map(({ network }) => network)}::text[],
      ${decisions.map(({ invoiceId }) => invoiceId)}::bigint[]) as d (network, id)
    where f.network = d.network and f.invoice_id = d.id`.execute(tx);
}
