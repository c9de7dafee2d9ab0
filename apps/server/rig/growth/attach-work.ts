import type { WorkerRig } from './worker-rig.ts';

/** Requests to attach money by a short-lived member of the rig's merchant: emails find no recipient here. */

const ASKER = 'PER-RIG';

/** Has a member ask that the money of a transaction pay the invoice of a quote. */
export async function askToAttach(rig: WorkerRig, quoteId: bigint, txId: string): Promise<void> {
  const { pool } = rig.own;
  await pool.query(
    `insert into people (code, mail_normal, mail_shown, name, language, created_at)
     values ($1, 'rig@acme.test', 'rig@acme.test', 'Rig', 'en', now()) on conflict do nothing`,
    [ASKER],
  );
  await pool.query(
    `insert into memberships (merchant_account_id, person_id, role, since)
     select $1, id, 'finance', now() from people where code = $2`,
    [rig.store.merchantAccountId, ASKER],
  );
  await pool.query(
    `insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at)
     select 'ATT-' || t.id, s.merchant_account_id, s.id, t.id, i.id, $3, $4, $4
     from quotes q join invoices i on i.id = q.invoice_id join stores s on s.id = i.store_id, transfers t
     where q.id = $1 and t.tx_id = $2`,
    [quoteId, txId, `person:${ASKER}`, new Date(rig.clock.nowMs() - 1_000)],
  );
}

export async function leaveTeam({ own, store }: WorkerRig): Promise<void> {
  await own.pool.query('delete from memberships where merchant_account_id = $1', [store.merchantAccountId]);
}
