import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

const setTo = (state: 'on' | 'off') =>
  sql`select set_config('enable_bitmapscan', ${state}, true), set_config('enable_sort', ${state}, true)`;

/**
 * Reads the first rows of a long order: by the index, from its beginning. A plan made while a table was small would rather
 * fetch everything and sort it, and is kept when the table has grown. For one statement alone: where the order is not an
 * index's own, whoever may not sort walks the whole table instead.
 */
export async function readInOrder<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  await setTo('off').execute(tx);
  const found = await read();
  await setTo('on').execute(tx);
  return found;
}
