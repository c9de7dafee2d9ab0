import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type NewView = {
  code: string;
  personId: bigint;
  sessionHash: Buffer;
  merchantAccountId: bigint;
  reason: string;
  endsAt: Date;
};

export async function insertView(tx: Tx, view: NewView, at: Date): Promise<void> {
  const { code, personId, sessionHash, merchantAccountId, reason, endsAt } = view;
  await sql`
    insert into operator_views (code, person_id, session_hash, merchant_account_id, reason, started_at, ends_at)
    values (${code}, ${personId}, ${sessionHash}, ${merchantAccountId}, ${reason}, ${at}, ${endsAt})`.execute(tx);
}

export async function endViewsOf(tx: Tx, sessionHash: Buffer, merchantAccountId: bigint, at: Date): Promise<void> {
  await sql`
    update operator_views set ended_at = ${at}
    where session_hash = ${sessionHash} and merchant_account_id = ${merchantAccountId} and ended_at is null`.execute(
    tx,
  );
}

/** Ends an open support session; its merchant, if it exists. */
export async function endViewByCode(tx: Tx, personId: bigint, code: string, at: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ merchantAccountId: bigint }>`
    update operator_views set ended_at = ${at}
    where person_id = ${personId} and code = ${code} and ended_at is null and ends_at > ${at}
    returning merchant_account_id as "merchantAccountId"`.execute(tx);
  return rows[0]?.merchantAccountId;
}

type ListedView = { code: string; merchantCode: string; merchantName: string; reason: string; endsAt: Date };

export async function listViews(
  queries: Queries,
  { sessionHash, now, limit }: { sessionHash: Buffer; now: Date; limit: number },
): Promise<ListedView[]> {
  const { rows } = await sql<ListedView>`
    select v.code, a.code as "merchantCode", a.name as "merchantName", v.reason, v.ends_at as "endsAt"
    from operator_views v join merchants a on a.id = v.merchant_account_id
    where v.session_hash = ${sessionHash} and v.ended_at is null and v.ends_at > ${now}
    order by v.id desc limit ${limit}`.execute(queries);
  return rows;
}

type ViewFacts = { merchant: string; operator: string; reason: string; until: Date };

/** What the owners are notified of; undefined when the support session does not exist. */
export async function readViewFacts(queries: Queries, code: string): Promise<ViewFacts | undefined> {
  const { rows } = await sql<ViewFacts>`
    select a.name as merchant, p.name as operator, v.reason, v.ends_at as until
    from operator_views v join merchants a on a.id = v.merchant_account_id join people p on p.id = v.person_id
    where v.code = ${code}`.execute(queries);
  return rows[0];
}
