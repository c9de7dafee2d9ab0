import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A merchant is an account: it owns stores and receiving addresses. */

/** All shards there are. */
export const SHARDS = UPPER_ALPHANUMERIC;

/** A merchant's, drawn once out of those of its cell: what moves to another cell is a merchant with all its stores. */
export function drawShard(shards: string): string {
  return randomText(shards, 1);
}
