import type pg from 'pg';
import type { Clock } from '../../src/lib/clock.ts';
import { UNREAD_SECONDS } from '../../src/chains/reading.ts';

/**
 * Age of a simulated read: old enough that the head's time says nothing about our clock, and recent enough that the
 * network does not count as unread.
 */
const READ_MS_AGO = 90_000;

/**
 * Makes networks that count as unread look as if they had been read to their head lately: rigs let minutes pass between
 * two reads.
 */
export async function markAsRead(database: Pick<pg.Client, 'query'>, clock: Clock): Promise<void> {
  const nowMs = clock.nowMs();
  await database.query(
    `update chains set head_read_at = $1, head_time = block_time
     where coalesce(head_read_at, head_time) - head_time + block_time < $2`,
    [new Date(nowMs - READ_MS_AGO), new Date(nowMs - UNREAD_SECONDS * 1_000)],
  );
}
