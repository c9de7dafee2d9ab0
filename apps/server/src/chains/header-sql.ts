import { MINUTE_SECONDS } from '@counterfoil/core/duration.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { BlockRef } from '../sources/transfer.ts';

/** SQL of stored headers: all of the last hour before the final block, and one per minute for three days. */

/** Reorgs have gone minutes below the final block, but never an hour. */
const HELD_BELOW_FINAL_SECONDS = 3_600;
const KEPT_HOURS = 72;
/** Kept at any age: after a halt of hours even the newest headers are old. */
const LEAST_HELD = 512;
/** More than one read adds, so that deleting keeps up. */
const MAX_DELETED = 256;

const minuteOf = (time: number) => Math.floor(time / MINUTE_SECONDS);

/** The first header of each minute after that of `since`. `blocks` are ascending. */
export function firstOfMinutes(blocks: readonly BlockRef[], since: number): Set<number> {
  const kept = new Set<number>();
  let minute = minuteOf(since);
  for (const block of blocks) {
    if (minuteOf(block.time) <= minute) continue;
    minute = minuteOf(block.time);
    kept.add(block.height);
  }
  return kept;
}

/** Deletes old headers from the lowest up, so that the cost does not depend on how many are stored. */
export async function deleteOldHeaders(tx: Tx, network: string, finalizedTime: number): Promise<void> {
  const lowest = (kept: boolean) => sql`
    select height from chain_blocks where network = ${network} and ${kept ? sql`kept` : sql`not kept`}
    order by height limit ${MAX_DELETED}`;
  const before = (seconds: number) => dateFromUnix(finalizedTime - seconds);
  await sql`
    delete from chain_blocks where network = ${network} and not kept and height in (${lowest(false)})
      and height < (select height from chain_blocks where network = ${network} and not kept
        order by height desc offset ${LEAST_HELD} limit 1)
      and block_time < ${before(HELD_BELOW_FINAL_SECONDS)}`.execute(tx);
  await sql`
    delete from chain_blocks where network = ${network} and kept and height in (${lowest(true)})
      and block_time < ${before(KEPT_HOURS * 3_600)}`.execute(tx);
}

export type StoredHeader = Pick<BlockRef, 'height' | 'hash'>;

const MAX_HELD = 50_000;

/** Stored headers at or below a height, highest first. A reorg below these needs an operator. */
export async function readStoredHeaders(queries: Queries, network: string, upTo: number): Promise<StoredHeader[]> {
  const { rows } = await sql<StoredHeader>`
    select height::float8 as height, hash from chain_blocks where network = ${network} and height <= ${upTo}::bigint
      and height >= coalesce((select min(height) from chain_blocks where network = ${network} and not kept), 0)
    order by height desc limit ${MAX_HELD}`.execute(queries);
  return rows;
}
