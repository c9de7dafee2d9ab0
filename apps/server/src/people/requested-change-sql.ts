import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** The merchants where a person may have pending payment-method changes, in locking order. */
export async function listMerchantsOf(tx: Tx, personCode: string): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select m.merchant_account_id as id from memberships m join people p on p.id = m.person_id where p.code = ${personCode}
    union
    select c.merchant_account_id from method_changes c
    where c.requested_by = ${`person:${personCode}`} and c.state = 'pending'
    order by id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** When the last pending change of a merchant that others requested takes effect. */
export async function findRequestEndOfOthers(
  tx: Tx,
  merchantAccountId: bigint,
  personCode: string,
): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date | null }>`
    select max(effective_at) as until from method_changes
    where merchant_account_id = ${merchantAccountId} and state = 'pending'
      and requested_by <> ${`person:${personCode}`}`.execute(tx);
  return rows[0]?.until ?? undefined;
}

export type CancelledRequest = { change: string; merchantAccountId: bigint; storeId: bigint };

/** Cancels the pending changes that a person requested, at one merchant or all. */
export async function cancelRequestsOf(
  tx: Tx,
  { personCode, merchantAccountId }: { personCode: string; merchantAccountId?: bigint | undefined },
  { by, at }: { by: string; at: Date },
): Promise<CancelledRequest[]> {
  const { rows } = await sql<CancelledRequest>`
    update method_changes set state = 'cancelled', decided_by = ${by}, decided_at = ${at}
    where requested_by = ${`person:${personCode}`} and state = 'pending'
      ${merchantAccountId === undefined ? sql`` : sql`and merchant_account_id = ${merchantAccountId}`}
    returning code as change, merchant_account_id as "merchantAccountId", store_id as "storeId"`.execute(tx);
  return rows.toSorted((one, other) => (one.change < other.change ? -1 : 1));
}
