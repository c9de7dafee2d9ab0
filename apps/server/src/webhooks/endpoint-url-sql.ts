import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** The URL of an endpoint by its code, also of a deleted one. */
export async function findEndpointUrl(queries: Queries, code: string): Promise<string | undefined> {
  const { rows } = await sql<{ url: string }>`select url from webhook_endpoints where code = ${code}`.execute(queries);
  return rows[0]?.url;
}
