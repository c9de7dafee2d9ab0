import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export async function insertWebhookSecret(tx: Tx, storeId: bigint, secretId: bigint, at: Date): Promise<void> {
  await tx.insertInto('webhook_secrets').values({ store_id: storeId, secret_id: secretId, created_at: at }).execute();
}

export async function endEarlierWebhookSecrets(
  tx: Tx,
  storeId: bigint,
  { at, until }: { at: Date; until: Date },
): Promise<void> {
  await sql`
    with live as (
      select id, row_number() over (order by id desc) = 1 as newest from webhook_secrets
      where store_id = ${storeId} and expires_at > ${at}
    )
    update webhook_secrets w set expires_at = least(w.expires_at, case when live.newest then ${until} else ${at} end::timestamptz)
    from live where w.id = live.id`.execute(tx);
}

type ListedSecret = {
  createdAt: Date;
  /** When the secret ends or ended; null for one without an end. */ endsAt: Date | null;
};

/** A store's newest webhook secrets, including ended ones. Every active one is among them. */
export async function listWebhookSecrets(queries: Queries, storeId: bigint, limit: number): Promise<ListedSecret[]> {
  const { rows } = await sql<ListedSecret>`
    select created_at as "createdAt", nullif(expires_at, 'infinity') as "endsAt" from webhook_secrets
    where store_id = ${storeId} order by id desc limit ${limit}`.execute(queries);
  return rows;
}

/** Ids of a store's signing secrets at `at`, newest first, without abandoned ones. */
export async function readWebhookSecretIds(queries: Queries, storeId: bigint, at: Date): Promise<bigint[]> {
  const rows = await queries
    .selectFrom('webhook_secrets as w')
    .innerJoin('secrets as s', 's.id', 'w.secret_id')
    .select('w.secret_id')
    .where('w.store_id', '=', storeId)
    .where('w.expires_at', '>', at)
    .where('s.abandoned_at', 'is', null)
    .orderBy('w.id', 'desc')
    .execute();
  return rows.map((row) => row.secret_id);
}

export async function readUnsignedStores(
  queries: Queries,
  at: Date,
  limit: number,
): Promise<{ merchantId: string; name: string }[]> {
  return queries
    .selectFrom('stores')
    .select(['merchant_id as merchantId', 'name'])
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('webhook_secrets as w')
            .innerJoin('secrets as s', 's.id', 'w.secret_id')
            .select('w.id')
            .whereRef('w.store_id', '=', 'stores.id')
            .where('w.expires_at', '>', at)
            .where('s.abandoned_at', 'is', null),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute();
}
