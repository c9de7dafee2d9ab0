import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** Whether a browser is a known one of a user (by id or email address), or without a user of anyone. */
export async function isKnownDevice(
  queries: Queries,
  hash: Buffer,
  of: { personId?: bigint; mailNormal?: string },
  since: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from devices d join people p on p.id = d.person_id
    where d.hash = ${hash} and d.used_at > ${since}
      and (${of.personId ?? null}::bigint is null or d.person_id = ${of.personId ?? null})
      and (${of.mailNormal ?? null}::text is null or p.mail_normal = ${of.mailNormal ?? null})
    limit 1`.execute(queries);
  return rows.length > 0;
}

/** Gives a browser a new token, also for other users there, and keeps the user's newest devices. */
export async function saveDevice(
  tx: Tx,
  { earlier, hash, personId, most }: { earlier: Buffer | undefined; hash: Buffer; personId: bigint; most: number },
  at: Date,
): Promise<void> {
  if (earlier) await sql`update devices set hash = ${hash} where hash = ${earlier}`.execute(tx);
  await sql`
    insert into devices (hash, person_id, used_at) values (${hash}, ${personId}, ${at})
    on conflict (hash, person_id) do update set used_at = ${at}`.execute(tx);
  await sql`
    delete from devices where person_id = ${personId} and hash = any(array(
      select hash from devices where person_id = ${personId} order by used_at desc, hash offset ${most}))`.execute(tx);
}

export async function endDevices(tx: Tx, personId: bigint, kept: Buffer | undefined): Promise<void> {
  await sql`
    delete from devices where person_id = ${personId} and hash is distinct from ${kept ?? null}::bytea`.execute(tx);
}

/** Forgets devices that were last used before a moment. */
export async function deleteOldDevices(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`
    delete from devices where (hash, person_id) in (
      select hash, person_id from devices where used_at < ${before} order by used_at limit ${limit})`.execute(queries);
}
