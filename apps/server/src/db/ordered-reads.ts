import { sql } from 'kysely';
import type { Tx } from './transaction.ts';

const setTo = (state: 'on' | 'off') =>
  sql`select set_config('enable_bitmapscan', ${state}, true), set_config('enable_sort', ${state}, true),
    set_config('enable_incremental_sort', ${state}, true)`;

/**
 * Runs one read that takes the first rows of a long order from an index, with sorts and bitmap scans turned off. A plan
 * made while the table was small would fetch everything and sort it, and is kept when the table has grown. All are
 * turned on again after the read: where no index has the order, a plan without sorting would walk the whole table.
 */
export async function preferIndexOrder<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  await setTo('off').execute(tx);
  const found = await read();
  await setTo('on').execute(tx);
  return found;
}
