import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { HeadFact } from './judge-clock.ts';

// Any constant will do: it only has to be the same for all that check the clock.
const ADVISORY_LOCK = 0x0c_0f_04;

/** The newest blocks of the networks that are followed. */
export async function readHeadFacts(queries: Queries | Tx): Promise<HeadFact[]> {
  const { rows } = await sql<HeadFact>`
    select network, head_time as "headTime", head_read_at as "headReadAt" from chains where retired_at is null`.execute(
    queries,
  );
  return rows;
}

/** Whether the alarm about the clock stands, as the newest of both kinds says. One worker at a time may decide about it. */
export async function lockClockAlarm(tx: Tx): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::bigint)`.execute(tx);
  const { rows } = await sql<{ raised: boolean }>`
    select coalesce((select max(id) from alarms where kind = 'clock-wrong'), 0)
      > coalesce((select max(id) from alarms where kind = 'clock-right'), 0) as raised`.execute(tx);
  return rows[0]?.raised ?? false;
}
