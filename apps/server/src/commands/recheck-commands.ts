import { z } from 'zod';
import { rescanNetwork } from '../accounts/rescan-network.ts';
import { recheckInvoice } from '../invoices/recheck-invoice.ts';
import { SourceError } from '../sources/chain-source.ts';
import { command } from './command.ts';
import { CommandError } from './command-error.ts';
import { openFollowers } from './open-followers.ts';
import type { OperatorContext } from './operator-context.ts';

const TRUST = 'HOST   one provider whose word alone is taken; audited';

const invoiceChoice = z.object({ 'trans-id': z.string(), 'trust-provider': z.string().optional() });

/** A provider's failure is an error for the operator, not a bug of this program. */
async function askingProviders<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    throw new CommandError(`A provider did not answer: ${cause.message}`);
  }
}

const invoiceRecheck = command<OperatorContext, typeof invoiceChoice>('invoice recheck', {
  summary: 'Read the chain again for payments of an invoice; what was missed is recorded and settles. Audited.',
  options: { 'trans-id': 'TRANS_ID', 'trust-provider': TRUST },
  input: invoiceChoice,
  run: (context, { 'trans-id': transId, 'trust-provider': trusted }) =>
    askingProviders(() =>
      recheckInvoice({ ...context, ...openFollowers(context) }, context.actor, { transId, trusted }),
    ),
});

const height = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a height')
  .transform(Number);
const range = z.object({
  network: z.string(),
  from: height,
  to: height.optional(),
  reason: z.string().trim().min(1).max(500),
  'trust-provider': z.string().optional(),
});

const chainRescan = command<OperatorContext, typeof range>('chain rescan', {
  summary:
    'Read a range again and record what was missed; or take a chain up again that was reorganised below all we hold.',
  options: {
    network: 'SYMBOL',
    from: 'HEIGHT',
    to: 'HEIGHT         as far as is final, when not given',
    reason: 'TEXT         why, for the audit',
    'trust-provider': TRUST,
  },
  input: range,
  run: (context, { network, from, to, reason, 'trust-provider': trusted }) =>
    askingProviders(() =>
      rescanNetwork({ ...context, ...openFollowers(context) }, context.actor, { network, from, to, reason, trusted }),
    ),
});

export const recheckCommands = [invoiceRecheck, chainRescan];
