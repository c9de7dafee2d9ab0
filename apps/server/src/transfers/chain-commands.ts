import { z } from 'zod';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import type { ChainHealth } from './chain-health-store.ts';
import { readChainHealth } from './chain-health-store.ts';
import { retireChain, unfreezeChain } from './chain-store.ts';

const nothing = z.object({});

function describeAccounts({ open, resting, behind, failing }: NonNullable<ChainHealth['accounts']>): string {
  return `${open} open, ${resting} resting, ${behind} behind, ${failing} failing`;
}

const chainStatus = command<OperatorContext, typeof nothing>('chain status', {
  summary: 'How far each network is read and covered.',
  options: {},
  input: nothing,
  run: async ({ database, clock }) => {
    const now = clock.nowMs() / 1000;
    const age = (time: number) => `${Math.round(now - time)} s old`;
    return (await readChainHealth(database.queries)).map((chain) => ({
      network: chain.network,
      head: `${chain.headHeight}, ${age(chain.headTime)}`,
      read: chain.height,
      frozen: chain.frozen,
      covered: chain.coverage.map(({ tier, time }) => `${tier} ${age(time)}`).join(', '),
      accounts: chain.accounts ? describeAccounts(chain.accounts) : undefined,
    }));
  },
});

const decision = z.object({ network: z.string(), reason: z.string().trim().min(1).max(500) });
const decisionOptions = { network: 'SYMBOL', reason: 'TEXT         why, for the audit' };

const chainUnfreeze = command<OperatorContext, typeof decision>('chain unfreeze', {
  summary: 'Let completions and coverage of a frozen network go on, though a completed invoice lost its payment.',
  options: decisionOptions,
  input: decision,
  run: async ({ database, clock, actor }, { network, reason }) => {
    await inTransaction(database, async (tx) => {
      if (!(await unfreezeChain(tx, network))) throw new OperatorError(`${network} is not frozen.`);
      await recordAudit(tx, clock, {
        actor,
        action: 'chain.unfreeze',
        subject: `chain:${network}`,
        details: { reason },
      });
    });
    return { network, frozen: false };
  },
});

const chainRetire = command<OperatorContext, typeof decision>('chain retire', {
  summary: 'Give a dead network up: invoices quoted on it may expire without it being read.',
  options: decisionOptions,
  input: decision,
  run: async ({ database, clock, actor }, { network, reason }) => {
    await inTransaction(database, async (tx) => {
      if (!(await retireChain(tx, network, new Date(clock.nowMs()), reason))) {
        throw new OperatorError(`${network} is not followed.`);
      }
      await recordAudit(tx, clock, { actor, action: 'chain.retire', subject: `chain:${network}`, details: { reason } });
    });
    return { network, retired: true };
  },
});

export const chainCommands = [chainStatus, chainUnfreeze, chainRetire];
