import { z } from 'zod';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Network } from '../networks/network.ts';
import { findNetwork, readsAccounts } from '../networks/network.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { rescanAccount } from '../transfers/rescan-account.ts';
import { SourceError } from '../transfers/chain-source.ts';
import { reanchorChain, standsInChain } from '../transfers/reanchor-chain.ts';
import { requireChainState, rescanChain } from '../transfers/rescan-chain.ts';
import { chooseWitnesses } from '../transfers/witness.ts';
import { openAccountFollower, openFollower, recheckInvoice } from './recheck-invoice.ts';
import { listAccounts } from './recheck-store.ts';

const TRUST = 'HOST   one provider whose word alone is taken; audited';

const invoiceChoice = z.object({ 'trans-id': z.string(), 'trust-provider': z.string().optional() });

/** A provider that does not answer is no fault of ours: the operator is told what it said. */
async function askingProviders<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    throw new OperatorError(`A provider did not answer: ${cause.message}`);
  }
}

const invoiceRecheck = command<OperatorContext, typeof invoiceChoice>('invoice recheck', {
  summary: 'Read the chain again for payments of an invoice; what was missed is recorded and settles. Audited.',
  options: { 'trans-id': 'TRANS_ID', 'trust-provider': TRUST },
  input: invoiceChoice,
  run: (context, { 'trans-id': transId, 'trust-provider': trusted }) =>
    askingProviders(() => recheckInvoice(context, transId, trusted)),
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

type Rescan = { from: number; to: number | undefined; trusted: string | undefined };

async function rescanNetwork(context: OperatorContext, network: Network, { from, to, trusted }: Rescan) {
  if (!readsAccounts(network)) {
    const follower = openFollower(context, network);
    const chain = await requireChainState(follower);
    const witnesses = await chooseWitnesses(follower.source, trusted);
    if (!(await standsInChain(follower, chain, witnesses)))
      return { reanchored: await reanchorChain(follower, from, witnesses) };
    const { wait } = context;
    return { rescanned: await rescanChain(follower, { from, to, native: true, witnesses, wait }) };
  }
  const follower = openAccountFollower(context, network);
  await follower.source.verify();
  const { finalized } = await follower.source.heads('second');
  const upTo = to !== undefined && to < finalized.height ? { height: to, time: finalized.time } : finalized;
  let found = 0;
  const accounts = await listAccounts(context.database.queries, network.symbol);
  const startAt = new Date(context.clock.nowMs());
  // A height that an operator names has no time: as if it were very old, so that the node's history is asked for.
  const after = { height: from - 1, time: 0 };
  for (const account of accounts) found += await rescanAccount(follower, { account, after, upTo, startAt });
  return { rescanned: { from, to: upTo.height, accounts: accounts.length, found } };
}

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
  run: async (context, { network: symbol, from, to, reason, 'trust-provider': trusted }) => {
    const network = findNetwork(symbol);
    if (!network) throw new OperatorError(`There is no network ${symbol}.`);
    const outcome = await askingProviders(() => rescanNetwork(context, network, { from, to, trusted }));
    await inTransaction(context.database, (tx) =>
      recordAudit(tx, context.clock, {
        actor: context.actor,
        action: 'chain.rescan',
        subject: `chain:${symbol}`,
        details: { reason, ...outcome, ...(trusted !== undefined && { trusted }) },
      }),
    );
    return outcome;
  },
});

export const recheckCommands = [invoiceRecheck, chainRescan];
