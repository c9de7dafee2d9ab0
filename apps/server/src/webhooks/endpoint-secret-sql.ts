import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type NewSecret = { endpointId: bigint; storeId: bigint; secretId: bigint };

export async function insertEndpointSecret(
  tx: Tx,
  { endpointId, storeId, secretId }: NewSecret,
  at: Date,
): Promise<void> {
  await sql`
    insert into webhook_endpoint_secrets (endpoint_id, store_id, secret_id, created_at)
    values (${endpointId}, ${storeId}, ${secretId}, ${at})`.execute(tx);
}

/** Ends an endpoint's secrets: the newest at `until`, the others now. */
export async function endEarlierEndpointSecrets(
  tx: Tx,
  endpointId: bigint,
  { at, until }: { at: Date; until: Date },
): Promise<void> {
  await sql`
    with live as (
      select id, row_number() over (order by id desc) = 1 as newest from webhook_endpoint_secrets
      where endpoint_id = ${endpointId} and expires_at > ${at}
    )
    update webhook_endpoint_secrets w
    set expires_at = least(w.expires_at, case when live.newest then ${until} else ${at} end::timestamptz)
    from live where w.id = live.id`.execute(tx);
}

/** Ids of an endpoint's signing secrets at `at`, newest first, without abandoned ones. */
export async function readEndpointSecretIds(queries: Queries, endpointId: bigint, at: Date): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select w.secret_id as id from webhook_endpoint_secrets w join secrets s on s.id = w.secret_id
    where w.endpoint_id = ${endpointId} and w.expires_at > ${at} and s.abandoned_at is null
    order by w.id desc`.execute(queries);
  return rows.map(({ id }) => id);
}
