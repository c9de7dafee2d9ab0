import { z } from 'zod';
import { beginRestore } from '../restores/begin-restore.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const beginInput = z.object({
  'lost-since': z.iso
    .datetime({ error: 'must be a moment such as 2026-11-19T14:05:00Z' })
    .transform((text) => new Date(text)),
});

const restoreBegin = command<OperatorContext, typeof beginInput>('restore begin', {
  summary:
    'Declare what a restored database lost: quotes reserved amounts for 48 hours, ends sessions and links. Audited.',
  options: { 'lost-since': 'TIME       of the last commit that the database has, for example 2026-11-19T14:05:00Z' },
  input: beginInput,
  run: async (context, { 'lost-since': lostSince }) => {
    const parts = { ...context, jobs: (await context.outbox()).jobs };
    const begun = await beginRestore(parts, context.actor, { lostSince });
    return {
      epoch: begun.epoch,
      quoting: begun.quotes ? 'reserved amounts' : 'stopped: an earlier restore used the reserved amounts',
      until: begun.reservedUntil,
      sessions_ended: begun.sessions,
      links_ended: begun.links,
      invitations_ended: begun.invitations,
      recovery_codes_suspended: begun.recoveryCodes,
      merchants_locked: begun.lockedMerchants,
    };
  },
});

export const restoreCommands = [restoreBegin];
