import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A merchant owns stores and receiving addresses. */

/** All shards, one character each. */
export const SHARDS = UPPER_ALPHANUMERIC;

/**
 * Draws a merchant's shard, once, from the shards of its cell. Only a merchant with all its stores can move to another
 * cell.
 */
export function drawShard(shards: string): string {
  return randomText(shards, 1);
}
