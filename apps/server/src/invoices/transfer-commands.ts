import { z } from 'zod';
import { command } from '../lib/command.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { acceptTransfer } from './accept-transfer.ts';
import { discardTransfer } from './discard-transfer.ts';

/** What a person says of a transfer that no receipt proves or disproves (alarm `transfer-doubted`). */

const decision = z.object({
  network: z.string(),
  tx: z.string(),
  index: z.string(),
  reason: z.string().trim().min(1).max(500),
});
const options = {
  network: 'SYMBOL',
  tx: 'HASH',
  index: 'INDEX         as the alarm names it, for example USDT:0',
  reason: 'TEXT         why, for the audit',
};

const transferAccept = command<OperatorContext, typeof decision>('transfer accept', {
  summary: 'Vouch for a transfer that no receipt proves or disproves: it settles, and reading goes on. Audited.',
  options,
  input: decision,
  run: async ({ database, clock, actor }, { network, tx, index, reason }) => {
    await acceptTransfer(database, clock, { network, txId: tx, index, reason, actor });
    return { network, accepted: tx, index };
  },
});

const transferDiscard = command<OperatorContext, typeof decision>('transfer discard', {
  summary: 'Say that such a transfer is not in the chain: it is undone as a reorg would undo it. Audited.',
  options,
  input: decision,
  run: async ({ database, clock, actor }, { network, tx, index, reason }) => {
    await discardTransfer(database, clock, { network, txId: tx, index, reason, actor });
    return { network, discarded: tx, index };
  },
});

export const transferCommands = [transferAccept, transferDiscard];
