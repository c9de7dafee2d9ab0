import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Failed emails, to be listed and queued again by operators. */

export type FailedMail = {
  id: bigint;
  template: string;
  createdAt: Date;
  decidedAt: Date;
  attempts: number;
  lastError: string | null;
};

export async function listFailedMails(queries: Queries, since: Date, limit: number): Promise<FailedMail[]> {
  const { rows } = await sql<FailedMail>`
    select m.id, m.template, m.created_at as "createdAt", m.decided_at as "decidedAt", m.attempts, m.last_error as "lastError"
    from mails m where m.state = 'failed' and m.decided_at >= ${since}
    order by m.decided_at desc, m.id desc limit ${limit}`.execute(queries);
  return rows;
}

/**
 * Queues failed emails again, oldest first, and returns them. Skips emails that another command is queueing or whose
 * job has not ended, because two jobs would send one twice. Clears the merge key, which a newer email may have.
 */
export async function requeueMails(
  tx: Tx,
  { id, since, limit }: { id: bigint | undefined; since: Date; limit: number },
): Promise<{ id: bigint; template: string }[]> {
  const chosen = id === undefined ? sql`m.decided_at >= ${since}` : sql`m.id = ${id}`;
  const { rows } = await sql<{ id: bigint; template: string }>`
    update mails set state = 'queued', decided_at = null, merge_key = null where state = 'failed' and id = any(array(
      select m.id from mails m where m.state = 'failed' and ${chosen} and not exists (select from pgboss.job_common j
          where j.name = 'send-mail' and j.state in ('created', 'retry', 'active') and j.data ->> 'mailId' = m.id::text)
      order by m.id limit ${limit} for update skip locked))
    returning id, template`.execute(tx);
  return rows.toSorted((one, other) => Number(one.id - other.id));
}

export async function findMailState(tx: Tx, id: bigint): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select state from mails where id = ${id}`.execute(tx);
  return rows[0]?.state;
}
