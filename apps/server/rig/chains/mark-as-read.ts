import type pg from 'pg';
import type { Clock } from '../../src/lib/clock.ts';

/**
 * Makes networks look as if they had just been read to a head of the present time, for rigs that measure what
 * statements cost. Tests of money let their networks make blocks instead.
 */
export async function markAsRead(database: Pick<pg.Client, 'query'>, clock: Clock): Promise<void> {
  await database.query(
    `update chains set head_read_at = $1, head_time = $1, block_time = $1
     where least(head_read_at, head_time, block_time) < $1::timestamptz - interval '1 minute'`,
    [new Date(clock.nowMs())],
  );
}
