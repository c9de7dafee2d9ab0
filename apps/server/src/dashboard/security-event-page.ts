import { z } from 'zod';
import { unixSeconds } from '../lib/clock.ts';
import type { ListedEvent } from '../people/security-event-sql.ts';
import { PAGE_ROWS } from './paging.ts';

/** Pages of security events. Without row numbers, a page begins before the last moment of the previous one. */

/** A moment in milliseconds, before which a page begins. */
const momentCursor = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform((text) => new Date(Number(text)))
  .optional();

export const eventQuery = z.strictObject({ after: momentCursor });

/** After every possible event. */
export const LAST_MOMENT = new Date('9999-01-01T00:00:00Z');

export const viewEvent = ({ at, kind, address, agent }: ListedEvent) => ({ at: unixSeconds(at), kind, address, agent });

/** The next page's cursor; null after a partial page. */
export function nextMoment(events: readonly ListedEvent[]): string | null {
  const last = events.at(-1);
  return last && events.length >= PAGE_ROWS ? String(last.at.getTime()) : null;
}
