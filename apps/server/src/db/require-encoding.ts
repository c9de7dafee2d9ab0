import type pg from 'pg';
import { Refusal } from '../lib/refusal.ts';

const ENCODING = 'UTF8';

/** Refuses a database that does not store text as UTF-8: it would reject or cut names that merchants and customers have. */
export async function requireEncoding(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    'select pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
  );
  const encoding = rows[0]?.encoding ?? 'unknown';
  if (encoding !== ENCODING) throw new Refusal('DATABASE_ENCODING_UNFIT', { encoding });
}
