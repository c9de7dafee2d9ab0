import { z } from 'zod';
import { acceptDatabase } from '../confirmations/accept-database.ts';
import { readConfirmation } from '../confirmations/confirmation-sql.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const nothing = z.object({});

const databaseStatus = command<OperatorContext, typeof nothing>('database status', {
  summary: 'Whether a worker has confirmed that the database is complete: amounts are quoted only then.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const { confirmed, wentBackAt, validUntil } = await readConfirmation(database.queries);
    return {
      quoting: confirmed ? 'yes' : 'no',
      confirmed_until: validUntil ?? 'never',
      ...(wentBackAt && { older_than_its_mark_since: wentBackAt }),
    };
  },
});

const acceptance = z.object({
  reason: z.string().trim().min(1).max(500),
  'nothing-lost': z.enum(['yes', 'no']).default('no'),
});

const databaseAccept = command<OperatorContext, typeof acceptance>('database accept', {
  summary: 'Let workers without a mark confirm this database, until the database server starts again. Audited.',
  options: {
    reason: 'TEXT         why, for the audit',
    'nothing-lost': 'yes    also when the database is older than a mark: states that no quote was lost',
  },
  input: acceptance,
  run: async (context, { reason, 'nothing-lost': stated }) => {
    await acceptDatabase(context, context.actor, { reason, nothingLost: stated === 'yes' });
    return { accepted: true };
  },
});

export const databaseCommands = [databaseStatus, databaseAccept];
