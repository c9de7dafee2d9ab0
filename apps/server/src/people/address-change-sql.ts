import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Changes of email addresses that wait until the user has proven the new address. */

type NewAddressChange = { personId: bigint; mail: { normal: string; shown: string }; expiresAt: Date };

/** Replaces an earlier unconfirmed change. The caller holds the person's lock. */
export async function replaceAddressChange(tx: Tx, change: NewAddressChange, at: Date): Promise<bigint> {
  const { personId, mail, expiresAt } = change;
  await sql`update address_changes set ended_at = ${at} where person_id = ${personId} and ended_at is null`.execute(tx);
  const { rows } = await sql<{ id: bigint }>`
    insert into address_changes (person_id, mail_normal, mail_shown, requested_at, expires_at)
    values (${personId}, ${mail.normal}, ${mail.shown}, ${at}, ${expiresAt}) returning id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('A change of a mail address was not inserted.');
  return row.id;
}

export async function takeAddressChange(
  tx: Tx,
  id: bigint,
  at: Date,
): Promise<{ normal: string; shown: string } | undefined> {
  const { rows } = await sql<{ normal: string; shown: string }>`
    update address_changes set ended_at = ${at}, done_at = ${at}
    where id = ${id} and ended_at is null and expires_at > ${at}
    returning mail_normal as normal, mail_shown as shown`.execute(tx);
  return rows[0];
}

/** Keeps the replaced address: for some days its reader is also notified of payment-method changes. */
export async function saveReplacedAddress(tx: Tx, id: bigint, mail: string): Promise<void> {
  await sql`update address_changes set replaced_shown = ${mail} where id = ${id}`.execute(tx);
}

/** The email address before the first change since a moment, if any. The person's lock keeps the answer stable. */
export async function findOldestAddress(tx: Tx, personId: bigint, since: Date): Promise<string | undefined> {
  const { rows } = await sql<{ mail: string }>`
    select replaced_shown as mail from address_changes
    where person_id = ${personId} and done_at > ${since} and replaced_shown is not null
    order by done_at limit 1`.execute(tx);
  return rows[0]?.mail;
}

export async function forgetReplacedAddresses(tx: Tx, personId: bigint, since: Date): Promise<void> {
  await sql`
    update address_changes set replaced_shown = null
    where person_id = ${personId} and done_at >= ${since} and replaced_shown is not null`.execute(tx);
}

export async function deleteOldAddressChanges(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`
    delete from address_changes where id = any(array(
      select id from address_changes where expires_at < ${before} order by expires_at limit ${limit}))`.execute(
    queries,
  );
}
