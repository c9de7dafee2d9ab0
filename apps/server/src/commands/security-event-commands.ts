import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import type { Context } from '../db/context.ts';
import { requirePerson } from '../people/require-person.ts';
import { SECURITY_EVENT_KINDS } from '../people/security-event.ts';
import { listAllEvents } from '../people/security-event-sql.ts';
import { command } from './command.ts';
import { namedPerson } from './person-options.ts';

/** Commands about sign-ins and other security events. */

const MAX_LISTED = 200;
const MAX_HOURS = 4_320;

const choice = z.object({
  person: z.string().optional(),
  kind: z.enum(SECURITY_EVENT_KINDS, 'must be a kind of event, such as sign-in').optional(),
  hours: wholeNumber(1, MAX_HOURS).default(24),
});

const eventList = command<Context, typeof choice>('security-events list', {
  summary: `Sign-ins, refused sign-ins and changes of two-factor methods, newest first, ${MAX_LISTED} at most.`,
  options: {
    person: `${namedPerson} of one user; without it, of all`,
    kind: 'KIND         only events of this kind, such as sign-in',
    hours: 'NUMBER        how far back, at most 4320 (24)',
  },
  input: choice,
  run: async ({ database: { queries }, clock }, { person: named, kind: only, hours }) => {
    const since = new Date(clock.nowMs() - hours * HOUR_MS);
    const personId = named === undefined ? undefined : (await requirePerson(queries, named)).id;
    const events = await listAllEvents(queries, { personId, kind: only, since, limit: MAX_LISTED });
    return events.map(({ at, kind, person: code, address, agent }) => ({ at, kind, person: code, address, agent }));
  },
});

export const securityEventCommands = [eventList];
