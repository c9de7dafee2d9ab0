import { z } from 'zod';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Network } from '../networks/network.ts';
import { findNetwork, readsAccounts } from '../networks/network.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { rescanAccount } from '../transfers/rescan-account.ts';
import { reanchorChain, requireChainState, rescanChain, standsOnNode } from '../transfers/rescan-chain.ts';
import { openAccountFollower, openFollower, recheckInvoice } from './recheck-invoice.ts';
import { listAccounts } from './recheck-store.ts';

const invoiceChoice = z.object({ 'trans-id': z.string() });

const invoiceRecheck = command<OperatorContext, typeof invoiceChoice>('invoice recheck', {
  summary: 'Look again on chain for payments of an invoice; what was missed is recorded and settles. Audited.',
  options: { 'trans-id': 'TRANS_ID' },
  input: invoiceChoice,
  run: (context, { 'trans-id': transId }) => recheckInvoice(context, transId),
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
});

type Rescan = { from: number; to: number | undefined };

async function rescanNetwork(context: OperatorContext, network: Network, { from, to }: Rescan) {
  if (!readsAccounts(network)) {
    const follower = openFollower(context, network);
    await follower.source.verify();
    const chain = await requireChainState(follower);
    if (!(await standsOnNode(follower, chain))) return { reanchored: await reanchorChain(follower, from) };
    return { rescanned: await rescanChain(follower, { from, to, native: true }) };
  }
  const follower = openAccountFollower(context, network);
  await follower.source.verify();
  const { finalized } = await follower.source.heads('second');
  const upTo = to !== undefined && to < finalized.height ? { height: to, time: finalized.time } : finalized;
  let found = 0;
  const accounts = await listAccounts(context.database.queries, network.symbol);
  const startAt = new Date(context.clock.nowMs());
  for (const account of accounts) found += await rescanAccount(follower, { account, after: from - 1, upTo, startAt });
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
  },
  input: range,
  run: async (context, { network: symbol, from, to, reason }) => {
    const network = findNetwork(symbol);
    if (!network) throw new OperatorError(`There is no network ${symbol}.`);
    const outcome = await rescanNetwork(context, network, { from, to });
    await inTransaction(context.database, (tx) =>
      recordAudit(tx, context.clock, {
        actor: context.actor,
        action: 'chain.rescan',
        subject: `chain:${symbol}`,
        details: { reason, ...outcome },
      }),
    );
    return outcome;
  },
});

export const recheckCommands = [invoiceRecheck, chainRescan];
