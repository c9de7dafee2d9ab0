import { z } from 'zod';
import { unixSeconds } from '../lib/clock.ts';
import type { ListedEvent } from '../people/security-event-sql.ts';
import { PAGE_ROWS } from './paging.ts';

/** Pages of security events. They have no numbers: a page begins before the moment with which the one before it ends. */

/** A moment in milliseconds, before which a page begins. */
const momentCursor = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform((text) => new Date(Number(text)))
  .optional();

export const eventQuery = z.strictObject({ after: momentCursor });

/** After every event that there will ever be. */
export const LAST_MOMENT = new Date('9999-01-01T00:00:00Z');

export const viewEvent = ({ at, kind, address, agent }: ListedEvent) => ({ at: unixSeconds(at), kind, address, agent });

/** Where the next page begins; null when this one has fewer rows than fit. */
export function nextMoment(events: readonly ListedEvent[]): string | null {
  const last = events.at(-1);
  return last && events.length >= PAGE_ROWS ? String(last.at.getTime()) : null;
}
