import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type NewLockLink = { hash: Buffer; personId: bigint; merchantAccountId: bigint; expiresAt: Date };

export async function insertLockLink(queries: Queries, link: NewLockLink, at: Date): Promise<void> {
  await sql`
    insert into link_tokens (hash, purpose, person_id, merchant_account_id, created_at, expires_at)
    values (${link.hash}, 'lock-methods', ${link.personId}, ${link.merchantAccountId}, ${at}, ${link.expiresAt})`.execute(
    queries,
  );
}

type FollowedLink = { merchantAccountId: bigint; personCode: string };

/** Uses a link once. Works also for former members: a thief could otherwise remove the owners who were notified. */
export async function useLockLink(tx: Tx, hash: Buffer, at: Date): Promise<FollowedLink | undefined> {
  const { rows } = await sql<FollowedLink>`
    update link_tokens l set used_at = ${at}
    from people p
    where l.hash = ${hash} and l.purpose = 'lock-methods' and l.used_at is null and l.expires_at > ${at}
      and p.id = l.person_id and p.disabled_at is null
    returning l.merchant_account_id as "merchantAccountId", p.code as "personCode"`.execute(tx);
  return rows[0];
}
