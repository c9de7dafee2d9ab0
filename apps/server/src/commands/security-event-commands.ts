import { z } from 'zod';
import type { Context } from '../db/context.ts';
import { listAllEvents } from '../people/security-event-sql.ts';
import { command } from './command.ts';

/** Commands about sign-ins and other security events. */

const MAX_LISTED = 200;
const HOUR_MS = 3_600_000;
const MAX_HOURS = 4_320;

const choice = z.object({
  person: z.string().optional(),
  hours: z.coerce.number().int().min(1).max(MAX_HOURS).default(24),
});

const eventList = command<Context, typeof choice>('security-events list', {
  summary: `Sign-ins, refused sign-ins and changes of two-factor methods, newest first, ${MAX_LISTED} at most.`,
  options: {
    person: 'PER-...      of one user; without it, of all',
    hours: 'NUMBER        how far back, at most 4320 (24)',
  },
  input: choice,
  run: async ({ database, clock }, { person, hours }) => {
    const since = new Date(clock.nowMs() - hours * HOUR_MS);
    const events = await listAllEvents(database.queries, person, { since, limit: MAX_LISTED });
    return events.map(({ at, kind, person: code, address, agent }) => ({ at, kind, person: code, address, agent }));
  },
});

export const securityEventCommands = [eventList];
