import type { Hex } from 'viem';
import type { Clock } from '../../../src/lib/clock.ts';
import type { NetworkChain } from '../evm/network-chain.ts';
import { startNetworkChain } from '../evm/network-chain.ts';
import type { FaultCounts, HiddenLog, NodeFaults } from '../evm/network-faults.ts';
import { hiddenKey, NO_FAULTS, noCounts } from '../evm/network-faults.ts';
import { askNode } from '../evm/network-methods.ts';
import { viewOf } from '../evm/network-view.ts';
import { seededNumbers } from '../../fakes/seeded-numbers.ts';
import type { EvmNode } from './block.ts';
import type { TronBehaviour, TronNode } from './node.ts';
import { openTronDoor } from './node.ts';

/**
 * Tron simulated by its profile: java-tron's dialect in front of a chain that makes blocks at the network's pace. As
 * with the EVM networks, only the clock and faults can be chosen.
 */

const NETWORK = 'TRC20';
const SECOND_MS = 1_000;

/**
 * Faults of the chain's view and of its log index, which this file simulates; all other faults are simulated by the Tron node in front of it.
 */
type TronIndexFaults = Pick<
  NodeFaults,
  'logsLagBlocks' | 'logsLagSeconds' | 'logsHole' | 'headStandsAt' | 'duplicateLogs'
>;
type TronFaults = TronIndexFaults &
  Pick<TronBehaviour, 'lagBlocks' | 'lagShare' | 'splitBatches' | 'fault' | 'unindexed'>;

export type TronNetworkProvider = Pick<TronNode, 'url' | 'down' | 'up' | 'stop'> & {
  behave(change: Partial<TronFaults>): void;
  hideLog(transactionHash: Hex, place: number, until?: { seconds?: number; answers?: number }): void;
  counts(): FaultCounts & { requests: number; calls: Record<string, number> };
};

export type TronNetworkNode = TronNetworkProvider & {
  chain: NetworkChain;
  /** Opens another provider of the same chain, with its own faults. */
  openProvider(): Promise<TronNetworkProvider>;
};

export type TronNetworkOptions = { clock: Clock; seed?: number; faults?: Partial<TronFaults> };

type Index = { faults: NodeFaults; counts: FaultCounts; hidden: Map<string, HiddenLog>; random: () => number };

/**
 * The simulated chain as the EVM node behind the Tron node; its logs come through the log index and have the index's
 * faults.
 */
function evmOf(chain: NetworkChain, index: Index): EvmNode {
  return {
    rpc: async <Result>(method: string, params: readonly unknown[] = []) =>
      (await askNode(viewOf({ chain, ...index }, 0), method, params)) as Result,
  };
}

const INDEX_FAULTS = new Set<string>([
  'logsLagBlocks',
  'logsLagSeconds',
  'logsHole',
  'headStandsAt',
  'duplicateLogs',
] satisfies (keyof TronIndexFaults)[]);

function divide(change: Partial<TronFaults>): { index: Partial<NodeFaults>; door: Partial<TronBehaviour> } {
  const entries = Object.entries(change);
  return {
    index: Object.fromEntries(entries.filter(([fault]) => INDEX_FAULTS.has(fault))),
    door: Object.fromEntries(entries.filter(([fault]) => !INDEX_FAULTS.has(fault))),
  };
}

async function openProvider(chain: NetworkChain, seed: number): Promise<TronNetworkProvider> {
  const index: Index = { faults: { ...NO_FAULTS }, counts: noCounts(), hidden: new Map(), random: seededNumbers(seed) };
  const solidLag = chain.profile.finalizedLagBlocks.most;
  const door = await openTronDoor(evmOf(chain, index), { seed, solidLag });
  return {
    url: door.url,
    behave: (change) => {
      const divided = divide(change);
      Object.assign(index.faults, divided.index);
      door.behave(divided.door);
    },
    hideLog: (transactionHash, place, { seconds, answers } = {}) => {
      const untilMs = seconds === undefined ? null : chain.clock.nowMs() + seconds * SECOND_MS;
      index.hidden.set(hiddenKey(transactionHash, place), {
        transactionHash,
        place,
        untilMs,
        answers: answers ?? null,
      });
    },
    counts: () => {
      const { requests, calls, limits } = door.counts();
      return { ...structuredClone(index.counts), staleAnswers: door.staleAnswers(), limits, requests, calls };
    },
    down: () => door.down(),
    up: () => door.up(),
    stop: () => door.stop(),
  };
}

export async function startTronNetworkNode({
  clock,
  seed = 1,
  faults = {},
}: TronNetworkOptions): Promise<TronNetworkNode> {
  const chain = await startNetworkChain(NETWORK, clock);
  const providers: TronNetworkProvider[] = [];
  const open = async () => {
    const provider = await openProvider(chain, seed + providers.length);
    providers.push(provider);
    return provider;
  };
  const first = await open();
  first.behave(faults);
  return {
    ...first,
    chain,
    openProvider: open,
    stop: async () => {
      await Promise.all(providers.map((provider) => provider.stop()));
      await chain.stop();
    },
  };
}
