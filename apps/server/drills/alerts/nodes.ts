import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { resumeBlocks, startLiveChain } from '../../rig/chains/evm/live-chain.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { TcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Networks of the drill: each has two providers in front of one real node, and the first can answer wrongly. */

const SLOTS_IN_AN_EPOCH = 4;
const CHAIN_IDS = { BSC: 56, ETH: 1, AVAX: 43_114 } as const;
const POLYGON = 137;
/** More than the two hours after which coverage counts as old. */
const BEHIND_SECONDS = 3 * 3_600;
const BLOCKS = 12;

export type NodeName = keyof typeof CHAIN_IDS;
export type Nodes = { anvil: Anvil; first: RpcProxy; second: TcpProxy; urls: string };

export async function startNodes(name: NodeName, closers: Closers): Promise<Nodes> {
  const anvil = await startLiveChain({ chainId: CHAIN_IDS[name], slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => anvil.stop());
  const first = await startRpcProxy(anvil.url);
  closers.push(() => first.stop());
  const second = await startTcpProxy(Number(new URL(anvil.url).port));
  closers.push(() => second.stop());
  return { anvil, first, second, urls: `${first.url},${second.through(anvil.url)}` };
}

const nowSeconds = () => Math.floor(systemClock.nowMs() / 1_000);

/** A node of POLYGON that is three hours behind its network, as one that is still catching up. */
export async function startNodeBehind(closers: Closers): Promise<Anvil> {
  const from = nowSeconds() - BEHIND_SECONDS;
  const anvil = await startAnvil({ chainId: POLYGON, slotsInAnEpoch: SLOTS_IN_AN_EPOCH, timestamp: from });
  closers.push(() => anvil.stop());
  await installCanonicalTokens(anvil);
  await mine(anvil, BLOCKS);
  await resumeBlocks(anvil);
  return anvil;
}

/** Lets the node catch up: its next blocks have the time of day. */
export async function catchUp(anvil: Anvil): Promise<void> {
  await anvil.rpc('evm_increaseTime', [BEHIND_SECONDS]);
  await mine(anvil, BLOCKS);
}
