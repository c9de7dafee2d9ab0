import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A merchant owns stores and receiving addresses. */

export const SHARDS = UPPER_ALPHANUMERIC;

/** Chooses a merchant's shard from those of its cell, once for all its stores. */
export function drawShard(shards: string): string {
  return randomText(shards, 1);
}
