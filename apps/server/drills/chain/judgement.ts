import type { Key } from '../../rig/report/chain-figures.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { TrueChain, TrueTransfer } from './truth.ts';
import type { World } from './world.ts';

/** Verdict of the judge so far, by network. */

const COUNTED = [
  'payments',
  'completed',
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'stuck_processing',
  'events_missing',
  'events_double',
  'unexplained',
] as const satisfies readonly Key[];
export type Counted = (typeof COUNTED)[number];
export type NetworkVerdict = Record<Counted, number>;
export type Verdict = { networks: Record<string, NetworkVerdict>; ledger: number };

export type Judgement = {
  world: World;
  verdict: Verdict;
  faults: Faults;
  truth: Readonly<Record<string, TrueChain>>;
  byKey: Map<string, TrueTransfer[]>;
};

export function chainOf({ truth }: Judgement, network: string): TrueChain {
  const chain = truth[network];
  if (!chain) throw new Error(`${network} takes no part.`);
  return chain;
}

export function blame(judgement: Judgement, network: string, key: Counted, fault: string): void {
  const own = judgement.verdict.networks[network];
  if (!own) throw new Error(`${network} takes no part.`);
  own[key] += 1;
  judgement.faults.add(`${key}: ${fault}`);
}

export const nothing = () => Object.fromEntries(COUNTED.map((key) => [key, 0])) as NetworkVerdict;
