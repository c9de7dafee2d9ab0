import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

type Dismissal = { merchantAccountId: bigint; transferId: bigint; note: string; by: string; at: Date };

/** Dismisses a transfer; false when it was already. */
export async function insertDismissal(
  tx: Tx,
  { merchantAccountId, transferId, note, by, at }: Dismissal,
): Promise<boolean> {
  const { rows } = await sql`
    insert into dismissed_transfers (merchant_account_id, transfer_id, note, dismissed_by, dismissed_at)
    values (${merchantAccountId}, ${transferId}, ${note}, ${by}, ${at}) on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

/** Reverts a dismissal; false when there was none. */
export async function deleteDismissal(tx: Tx, merchantAccountId: bigint, transferId: bigint): Promise<boolean> {
  const { rows } = await sql`
    delete from dismissed_transfers where merchant_account_id = ${merchantAccountId} and transfer_id = ${transferId}
    returning 1`.execute(tx);
  return rows.length > 0;
}
