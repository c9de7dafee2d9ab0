import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { wasMailSetUpSince } from './mail-setup-sql.ts';

/** Longer than any maintenance. */
const SET_UP_FOR_MS = 7 * 86_400_000;

export function isMailSetUp(queries: Queries, clock: Clock): Promise<boolean> {
  return wasMailSetUpSince(queries, new Date(clock.nowMs() - SET_UP_FOR_MS));
}
