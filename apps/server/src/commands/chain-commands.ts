import { z } from 'zod';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';
import type { ChainHealth } from '../accounts/chain-health-sql.ts';
import { readChainHealth } from '../accounts/chain-health-sql.ts';
import { retireChain } from '../chains/retire-chain.ts';
import { unfreezeChain } from '../chains/unfreeze-chain.ts';

const nothing = z.object({});

function describeAccounts({ open, resting, behind, failing }: NonNullable<ChainHealth['accounts']>): string {
  return `${open} open, ${resting} resting, ${behind} behind, ${failing} failing`;
}

const chainStatus = command<OperatorContext, typeof nothing>('chain status', {
  summary: 'How far each network is read and covered.',
  options: {},
  input: nothing,
  run: async ({ database, clock, networks }) => {
    const now = clock.nowMs() / 1000;
    const age = (time: number) => `${Math.round(now - time)} s old`;
    return (await readChainHealth(database.queries, networks)).map((chain) => ({
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
  summary: 'Continue completions and coverage on a frozen network, although a completed invoice lost its payment.',
  options: decisionOptions,
  input: decision,
  run: async (context, choice) => {
    await unfreezeChain(context, context.actor, choice);
    return { network: choice.network, frozen: false };
  },
});

const chainRetire = command<OperatorContext, typeof decision>('chain retire', {
  summary: 'Retire a dead network: invoices quoted on it may expire without it being read.',
  options: decisionOptions,
  input: decision,
  run: async (context, choice) => {
    await retireChain(context, context.actor, choice);
    return { network: choice.network, retired: true };
  },
});

export const chainCommands = [chainStatus, chainUnfreeze, chainRetire];
