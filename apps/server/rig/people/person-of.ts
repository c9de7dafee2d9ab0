import type { Database } from '../../src/db/database.ts';
import type { Person } from '../../src/lib/actor.ts';

const HASH_BYTES = 32;

/** A person as the actor of a verb, who has just proven who they are. */
export async function personOf({ pool }: Database, code: string): Promise<Person> {
  const { rows } = await pool.query<{ id: bigint }>('select id from people where code = $1', [code]);
  const [row] = rows;
  if (!row) throw new Error(`There is no person ${code}.`);
  return {
    kind: 'person',
    id: row.id,
    code,
    sessionHash: Buffer.alloc(HASH_BYTES),
    hasFactor: true,
    operatorRole: null,
    elevated: true,
    address: '',
    agent: '',
  };
}
