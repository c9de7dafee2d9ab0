import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A merchant owns stores and receiving addresses. */

/** All shards, one character each. */
export const SHARDS = UPPER_ALPHANUMERIC;

/**
 * Draws a merchant's shard, once, from those of its cell: what moves to another cell is a merchant with all its stores.
 */
export function drawShard(shards: string): string {
  return randomText(shards, 1);
}
