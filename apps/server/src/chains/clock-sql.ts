import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { HeadFact } from './judge-clock.ts';

// Key of the advisory lock for clock alarms, shared by all workers.
const ADVISORY_LOCK = 0x0c_0f_04;

export async function readHeadFacts(queries: Queries | Tx): Promise<HeadFact[]> {
  const { rows } = await sql<HeadFact>`
    select network, head_time as "headTime", head_read_at as "headReadAt" from chains where retired_at is null`.execute(
    queries,
  );
  return rows;
}

/** Whether the newest clock alarm says wrong. Takes a lock, so that one worker at a time decides. */
export async function lockClockAlarm(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::bigint)`.execute(tx);
  const { rows } = await sql<{ raised: boolean }>`
    select coalesce((select max(id) from alarms where kind = 'clock-wrong'), 0)
      > coalesce((select max(id) from alarms where kind = 'clock-right'), 0) as raised`.execute(tx);
  return rows[0]?.raised ?? false;
}
