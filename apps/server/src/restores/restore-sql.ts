import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

type BegunRestore = { epoch: bigint; beganAt: Date };

/** Takes the database's time: that of quotes and confirmations. */
export async function insertRestore(tx: Tx, lostSince: Date, by: string): Promise<BegunRestore> {
  const { rows } = await sql<BegunRestore>`
    insert into restores (lost_since, began_at, began_by) values (${lostSince}, statement_timestamp(), ${by})
    returning id as epoch, began_at as "beganAt"`.execute(tx);
  const [begun] = rows;
  if (!begun) throw new Error('A restore was not stored.');
  return begun;
}
