import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Changes of mail addresses that wait until the person has proven the new address. */

type NewAddressChange = { personId: bigint; mail: { normal: string; shown: string }; expiresAt: Date };

/** Inserts a change in place of an earlier one that the person has not confirmed. The caller holds the person's lock. */
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

/** Ends a change that is done now, once; undefined for one that has ended or is too old. */
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

/** Keeps the address that a change replaced: for some days its reader is notified of payment-method changes too. */
export async function saveReplacedAddress(tx: Tx, id: bigint, mail: string): Promise<void> {
  await sql`update address_changes set replaced_shown = ${mail} where id = ${id}`.execute(tx);
}

/**
 * The email address that a person had before the first change since a moment; undefined when there was none. A person's
 * lock keeps the answer from changing.
 */
export async function findOldestAddress(tx: Tx, personId: bigint, since: Date): Promise<string | undefined> {
  const { rows } = await sql<{ mail: string }>`
    select replaced_shown as mail from address_changes
    where person_id = ${personId} and done_at > ${since} and replaced_shown is not null
    order by done_at limit 1`.execute(tx);
  return rows[0]?.mail;
}

/** Forgets the addresses that were replaced since a moment: their readers are no longer notified as former users of them. */
export async function forgetReplacedAddresses(tx: Tx, personId: bigint, since: Date): Promise<void> {
  await sql`
    update address_changes set replaced_shown = null
    where person_id = ${personId} and done_at >= ${since} and replaced_shown is not null`.execute(tx);
}

/** Deletes changes that ended before a moment, with their links. */
export async function deleteOldAddressChanges(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`
    delete from address_changes where id = any(array(
      select id from address_changes where expires_at < ${before} order by expires_at limit ${limit}))`.execute(
    queries,
  );
}
