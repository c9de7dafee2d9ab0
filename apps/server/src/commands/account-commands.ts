import { z } from 'zod';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import { passUnreadable } from '../accounts/pass-unreadable.ts';
import { listUnreadable } from '../accounts/unreadable-sql.ts';

const MAX_LISTED = 1_000;
const nothing = z.object({});

const accountUnreadable = command<OperatorContext, typeof nothing>('account unreadable', {
  summary:
    'Transactions that cannot be read: their accounts are not covered past them, so invoices there do not expire.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const rows = await listUnreadable(database.queries, MAX_LISTED);
    return rows.map(({ network, account, txId, height, fault, reason, seenAt, tries }) => ({
      network,
      account,
      tx: txId,
      height,
      fault,
      reason,
      seen_at: seenAt.toISOString(),
      tries,
    }));
  },
});

const choice = z.object({
  network: z.string(),
  account: z.string(),
  tx: z.string(),
  reason: z.string().trim().min(1).max(500),
});

const accountPassBy = command<OperatorContext, typeof choice>('account pass-by', {
  summary: 'Let an account be covered past a transaction that cannot be read; what it paid is not seen. Audited.',
  options: {
    network: 'SYMBOL',
    account: 'ADDRESS      the receiving address',
    tx: 'ID           the transaction',
    reason: 'TEXT         why, for the audit',
  },
  input: choice,
  run: async (context, { network, account, tx: txId, reason }) => {
    await passUnreadable(context, context.actor, { network, account, txId, reason });
    return { network, account, tx: txId, passed: true };
  },
});

export const accountCommands = [accountUnreadable, accountPassBy];
