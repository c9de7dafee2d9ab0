import { noteDatabaseTime, trustsAges } from './database-clock.ts';
import type { Follower } from './follower.ts';
import type { AgedReads } from './read-end-sql.ts';
import { readAgedEnd } from './read-end-sql.ts';

/** First reads above a height that are old enough for a second read, if any. */
export async function findAgedEnd(follower: Follower, above: number, upTo: number): Promise<AgedReads | undefined> {
  const { database, source, secondReadAgeMs, memory, steady } = follower;
  const beforeMs = steady.nowMs();
  const { databaseMs, aged } = await readAgedEnd(database.queries, source.network.id, above, upTo, secondReadAgeMs);
  noteDatabaseTime(memory, { databaseMs, beforeMs, afterMs: steady.nowMs() }, secondReadAgeMs);
  return trustsAges(memory, steady) ? aged : undefined;
}
