import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { BlockRef } from '../sources/transfer.ts';

/** Headers that are held: all since a while before what is final, and one a minute for three days. */

/** Reorganisations went deeper than what was final by minutes; an hour finds the end of any that was seen. */
const HELD_BELOW_FINAL_SECONDS = 3_600;
const KEPT_HOURS = 72;
const MINUTE_SECONDS = 60;
/** After a halt of hours the newest headers are old, too: so many are held in any case. */
const LEAST_HELD = 512;
/** More than one read adds: what is deleted keeps up with what comes. */
const MAX_DELETED = 256;

const minuteOf = (time: number) => Math.floor(time / MINUTE_SECONDS);

/** Of headers in their order, those that are the first of their minute after `since`. */
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

/** The lowest ones only, so that the cost does not depend on how many are held. */
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

export type HeldHeader = Pick<BlockRef, 'height' | 'hash'>;

const MAX_HELD = 50_000;

/**
 * The headers at or below a height, the highest first, down to the lowest of those that stand close together. What lies
 * deeper is no reorg that a reader may undo by itself.
 */
export async function readHeldHeaders(queries: Queries, network: string, upTo: number): Promise<HeldHeader[]> {
  const { rows } = await sql<HeldHeader>`
    select height::float8 as height, hash from chain_blocks where network = ${network} and height <= ${upTo}::bigint
      and height >= coalesce((select min(height) from chain_blocks where network = ${network} and not kept), 0)
    order by height desc limit ${MAX_HELD}`.execute(queries);
  return rows;
}

/** The hashes of the headers that are held at these heights. */
export async function readHeldHashes(
  queries: Queries | Tx,
  network: string,
  heights: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<HeldHeader>`
    select height::float8 as height, hash from chain_blocks where network = ${network} and height = any(${heights}::bigint[])`.execute(
    queries,
  );
  return new Map(rows.map(({ height, hash }) => [height, hash]));
}
