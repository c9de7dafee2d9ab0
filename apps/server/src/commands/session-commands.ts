import { z } from 'zod';
import { endSessions } from '../people/end-sessions.ts';
import { listOpenSessions } from '../people/list-open-sessions.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { namedPerson, reasonField, reasonOption } from './person-options.ts';

const listInput = z.object({ person: z.string() });

const sessionList = command<OperatorContext, typeof listInput>('session list', {
  summary: 'Active sessions of a person, newest first.',
  options: { person: namedPerson },
  input: listInput,
  run: async (context, { person }) => {
    const sessions = await listOpenSessions(context, context.actor, { person });
    return sessions.map(({ code, proof, half, createdAt, seenAt, address, agent }) => ({
      session: code,
      proof,
      complete: !half,
      created_at: createdAt,
      seen_at: seenAt,
      ip_address: address,
      browser: agent,
    }));
  },
});

const endInput = z
  .object({
    person: z.string(),
    session: z.string().optional(),
    all: z
      .enum(['yes', 'no'])
      .default('no')
      .transform((word) => word === 'yes'),
    reason: reasonField,
  })
  .refine(({ session, all }) => (session === undefined) === all, {
    path: ['session'],
    message: 'name one session, or --all yes',
  });

const sessionEnd = command<OperatorContext, typeof endInput>('session end', {
  summary: 'End one session of a person, or all; they can sign in again. Audited.',
  options: {
    person: namedPerson,
    session: 'SES-...',
    all: 'yes|no          all sessions of the person (no)',
    reason: reasonOption,
  },
  input: endInput,
  run: async (context, { person: named, session, reason: why }) => {
    const { person, ended } = await endSessions(context, context.actor, { person: named, session, reason: why });
    return { person, ended };
  },
});

export const sessionCommands = [sessionList, sessionEnd];
