import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

/**
 * For the rest of a transaction that reads the first rows of a long order: by the index, from its beginning. A plan made
 * while a table was small would rather fetch everything and sort it, and is kept when the table has grown.
 */
export async function readInOrder(tx: Tx): Promise<void> {
  await sql`select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`.execute(tx);
}
