import { z } from 'zod';
import type { Context } from '../db/context.ts';
import type { Operator } from '../lib/actor.ts';
import { command } from './command.ts';
import { identifier } from './command-fields.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import { ALARM_KINDS } from '../audit/alarm.ts';
import { acknowledgeAlarm } from '../audit/acknowledge-alarm.ts';
import { listAlarms } from '../audit/alarm-sql.ts';

/** The part of the operator's context that commands about alarms need. */
type AlarmContext = Context & { actor: Operator };

const MAX_LISTED = 200;

const choice = z.object({
  all: z.enum(['yes', 'no']).default('no'),
  kind: z.enum(ALARM_KINDS as [AlarmKind, ...AlarmKind[]], 'must be a kind of docs/alarms.md').optional(),
  after: identifier.optional(),
});

const alarmList = command<AlarmContext, typeof choice>('alarm list', {
  summary: `Unacknowledged alarms, newest first, ${MAX_LISTED} at most.`,
  options: {
    all: 'yes           also those that were acknowledged',
    kind: 'KIND         only alarms of this kind',
    after: 'NUMBER      next page: the last alarm of the page before',
  },
  input: choice,
  run: async ({ database }, { all, kind: only, after }) => {
    const page = { all: all === 'yes', kind: only, before: after, limit: MAX_LISTED };
    const alarms = await listAlarms(database.queries, page);
    return alarms.map(({ id, at, kind, subject, details, acknowledgedAt, acknowledgedBy }) => ({
      id,
      at,
      kind,
      subject,
      details,
      acknowledged_at: acknowledgedAt,
      acknowledged_by: acknowledgedBy,
    }));
  },
});

const MAX_ID = 2n ** 63n - 1n;

const decision = z.object({
  id: z
    .string()
    .regex(/^\d{1,19}$/, 'must be a number')
    .transform(BigInt)
    .refine((id) => id <= MAX_ID, 'must be a number of an alarm'),
  reason: z.string().trim().min(1).max(500),
});

const alarmAcknowledge = command<AlarmContext, typeof decision>('alarm acknowledge', {
  summary: 'Acknowledge an alarm: it is no longer counted. Audited.',
  options: {
    id: 'NUMBER         as alarm list shows it',
    reason: 'TEXT         what was found and done, for the audit',
  },
  input: decision,
  run: async (context, { id, reason }) => {
    const { kind, subject } = await acknowledgeAlarm(context, context.actor, { id, reason });
    return { acknowledged: id, kind, subject };
  },
});

export const alarmCommands = [alarmList, alarmAcknowledge];
