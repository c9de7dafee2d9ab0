import type { Queries } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { wasMailSetUpSince } from './mail-setup-sql.ts';

/** How long email counts as set up after a process with a mail server ran: longer than any maintenance. */
const SET_UP_FOR_MS = 7 * 86_400_000;

/** Whether email is set up in this installation, wherever the mail server is configured. */
export function isMailSetUp(queries: Queries, clock: Clock): Promise<boolean> {
  return wasMailSetUpSince(queries, new Date(clock.nowMs() - SET_UP_FOR_MS));
}
