import { tronToHex } from '@counterfoil/core/tron-address.ts';
import type { Address, Hex } from 'viem';
import { findNetwork } from './networks.ts';
import { parseTier, tierFor } from '../../src/networks/finality.ts';
import { coinOf } from '../../src/networks/network.ts';
import type { NetworkProfile } from '../../src/networks/profile.ts';
import { profileOf } from '../../src/networks/profile.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import type { NetworkChain } from './evm/network-chain.ts';
import type { FaultCounts } from './evm/network-faults.ts';
import type { NetworkProvider } from './evm/network-node.ts';
import { startNetworkNode } from './evm/network-node.ts';
import { canonicalToken } from './evm/token.ts';
import { kindOf } from './tron/block.ts';
import type { TronNetworkNode } from './tron/network.ts';
import { startTronNetworkNode } from './tron/network.ts';
import { nextAddress } from '../stores/open-store.ts';
import { CHAIN_DEATHS, createChainReader } from './chain-reader.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import type { Again, RigHead, RigStart, SourceRig } from './chain-rig.ts';
import { startSolanaRig } from './solana/solana-rig.ts';
import { nextTronAddress } from './tron/tron-rig.ts';
import { genesisOf } from './genesis.ts';

/** Rigs of the nine networks with their real pace, distances and limits, for the scenarios that all rigs run. */

/** Ways in which a provider fails to answer for a while. */
export type Refusal = 'busy' | 'finalized' | 'behind' | 'crowd';

export type ProfileRig = SourceRig & {
  profile: NetworkProfile;
  /** Makes all blocks of the given seconds, empty except for pending payments. */
  pass(seconds: number): Promise<RigHead>;
  /** Sets how many blocks the log index is behind the headers. */
  lagLogs(blocks: number): void;
  /** Freezes a provider's head, the first one's unless given, at the current block while it keeps answering, or unfreezes it. */
  freeze(isFrozen: boolean, place?: number): void;
  /** Makes the provider list each log of a range twice, where the network has logs. */
  duplicateLogs(isOn: boolean): void;
  /** Makes the provider refuse in the given way; null makes the provider answer again. */
  refuse(kind: Refusal | null): Promise<void>;
  /** Ways to refuse that were observed at this network's providers. */
  refusals: readonly Refusal[];
  faults(): Pick<FaultCounts, 'indexLag' | 'limits' | 'refusedTags' | 'beyondHead' | 'frozenHeads' | 'duplicateLogs'>;
};

const SECOND_MS = 1_000;
const FIFTY_DOLLARS = 5_000_000_000n;
const BEHIND_BLOCKS = 12;
/** Bytes of data per block at which few whole blocks exceed a client's limit of bytes. */
const CROWD_INPUT_BYTES = 1_500_000;
const CROWD_BYTES_SPARE = 1.2;
const CROWD_BLOCKS = 8;
const CROWD_SPARE = 1.02;

const headOf = ({ height, timeMs }: { height: number; timeMs: number }): RigHead => ({
  height,
  time: Math.floor(timeMs / SECOND_MS),
});

/** Produces more traffic than a client's answer holds, by results or bytes. */
async function crowd(chain: NetworkChain): Promise<void> {
  const { logsMaxResults, batchMaxBytes } = chain.profile;
  const token = chain.busyToken;
  if (logsMaxResults !== null) {
    const transfers = Math.ceil((logsMaxResults * CROWD_SPARE) / CROWD_BLOCKS);
    await chain.produce(CROWD_BLOCKS, { traffic: { token, transfers, inputBytes: 0 } });
  } else if (batchMaxBytes !== null) {
    const blocks = Math.ceil((batchMaxBytes * CROWD_BYTES_SPARE) / (2 * CROWD_INPUT_BYTES));
    await chain.produce(blocks, { traffic: { token, transfers: 0, inputBytes: CROWD_INPUT_BYTES } });
  }
}

type Parts = {
  symbol: string;
  chain: NetworkChain;
  toHexAddress: (address: string) => Address;
  txIdOf: (hash: Hex) => string;
  isCoin: Parameters<typeof createEvmChain>[0]['isCoin'];
};

/** Payments, blocks and reorgs at the network's pace. */
function chainParts({ symbol, chain, toHexAddress, txIdOf, isCoin }: Parts) {
  const { network, profile, anvil } = chain;
  const token = canonicalToken(network.chainId ?? 0, 'USDT');
  const coin = coinOf(network)?.symbol ?? '';
  const evm = createEvmChain({ anvil, token, coin, toHexAddress, txIdOf, isCoin, blockSeconds: profile.blockSeconds });
  return {
    ...evm,
    profile,
    network: symbol,
    token: token.symbol,
    coin,
    blockSeconds: profile.blockSeconds,
    finalDepth: profile.finalizedLagBlocks.most,
    reorgIsBelieved: { blocks: 1, seconds: 0 },
    toldApart: ['USDT', 'USDT', 'USDT'] as [string, string, string],
    failpoints: CHAIN_DEATHS,
    mine: async (blocks: number, { atTime }: { atTime?: number }) =>
      headOf(await chain.produce(blocks, atTime === undefined ? {} : { atTime })),
    // Arrivals have the simulated chain's times, because the real node's times mean nothing.
    arrivals: async (addresses: readonly string[]) => {
      const found = await evm.arrivals(addresses);
      return found.map((arrival) => {
        const height = chain.heightOf(`0x${arrival.txId.replace('0x', '')}`);
        const block = height === undefined ? undefined : chain.block(height);
        if (!block) throw new Error(`${arrival.txId} stands in no block.`);
        return Object.assign(arrival, { time: headOf(block).time });
      });
    },
    pass: async (seconds: number) => headOf(await chain.produce(Math.ceil(seconds / profile.blockSeconds))),
    reorg: async (depth: number, again: readonly Again[] = []) =>
      headOf(
        await chain.reorg(
          depth,
          again.map(({ txId, offset }) => ({ rawTransaction: evm.rawOf(txId), offset })),
        ),
      ),
  };
}

async function refuseEvm(chain: NetworkChain, provider: NetworkProvider, kind: Refusal | null): Promise<void> {
  const calm = { fault: null, finalizedUnknown: false, backends: [{ share: 1, lagBlocks: 0 }], splitBatches: false };
  provider.behave(calm);
  if (kind === 'busy') provider.behave({ fault: 'busy', faultShare: 1 });
  if (kind === 'finalized') provider.behave({ finalizedUnknown: true });
  // A node that lacks the newest blocks answers half of the calls of a batch.
  const backends = [
    { share: 1, lagBlocks: 0 },
    { share: 1, lagBlocks: BEHIND_BLOCKS },
  ];
  if (kind === 'behind') provider.behave({ backends, splitBatches: true });
  if (kind === 'crowd') await crowd(chain);
}

const startEvm =
  (symbol: string, count: number): RigStart<ProfileRig> =>
  async (_startSeconds, clock) => {
    const networkNode = await startNetworkNode({ network: symbol, clock });
    const { chain, provider } = networkNode;
    const providers = [provider];
    while (providers.length < count) providers.push(await networkNode.openProvider());
    const urls = providers.map(({ url }) => url);
    const genesisHash = await genesisOf(provider.url);
    return {
      ...chainParts({
        symbol,
        chain,
        toHexAddress: (one) => one as Address,
        txIdOf: (hash) => hash,
        isCoin: () => true,
      }),
      seesCoinsEarly: true,
      refusals: ['busy', 'finalized', 'behind', 'crowd'],
      createReader: (engine) =>
        createChainReader(engine, createEvmSource(chain.network, urls, { monotonic: engine.clock, genesisHash })),
      settings: () => ({ [`COUNTERFOIL_RPC_${symbol}`]: urls.join(',') }),
      newAddress: nextAddress,
      lag: (share, lagBlocks) =>
        provider.behave({
          backends: [
            { share: 1 - share, lagBlocks: 0 },
            { share, lagBlocks },
          ],
          splitBatches: true,
        }),
      lagLogs: (logsLagBlocks) => provider.behave({ logsLagBlocks }),
      freeze: (isFrozen, place = 0) => providers[place]?.behave({ headStandsAt: isFrozen ? chain.head() : null }),
      duplicateLogs: (isOn) => provider.behave({ duplicateLogs: isOn }),
      refuse: (kind) => refuseEvm(chain, provider, kind),
      faults: () => provider.counts(),
      down: () => provider.down(),
      up: () => provider.up(),
      stop: () => networkNode.stop(),
    };
  };

async function refuseTron(node: TronNetworkNode, kind: Refusal | null): Promise<void> {
  node.behave({ fault: kind === 'busy' ? 429 : null, lagShare: kind === 'behind' ? 0.5 : 0 });
  node.behave({ lagBlocks: BEHIND_BLOCKS, splitBatches: kind === 'behind' });
  if (kind === 'crowd') await crowd(node.chain);
}

const startTron: RigStart<ProfileRig> = async (_startSeconds, clock) => {
  const symbol = 'TRC20';
  const node = await startTronNetworkNode({ clock });
  const { chain } = node;
  const genesisHash = await genesisOf(node.url);
  return {
    ...chainParts({
      symbol,
      chain,
      toHexAddress: (address) => tronToHex(address) as Address,
      txIdOf: (hash) => hash.slice(2),
      isCoin: (transaction) => kindOf(transaction) === 'TransferContract',
    }),
    seesCoinsEarly: false,
    refusals: ['busy', 'behind'],
    createReader: (engine) =>
      createChainReader(engine, createTronSource(chain.network, [node.url], { monotonic: engine.clock, genesisHash })),
    settings: () => ({ [`COUNTERFOIL_RPC_${symbol}`]: node.url }),
    newAddress: nextTronAddress,
    lag: (lagShare, lagBlocks) => node.behave({ splitBatches: true, lagShare, lagBlocks }),
    lagLogs: (logsLagBlocks) => node.behave({ logsLagBlocks }),
    freeze: (isFrozen) => node.behave({ headStandsAt: isFrozen ? chain.head() : null }),
    duplicateLogs: (isOn) => node.behave({ duplicateLogs: isOn }),
    refuse: (kind) => refuseTron(node, kind),
    faults: () => node.counts(),
    down: () => node.down(),
    up: () => node.up(),
    stop: () => node.stop(),
  };
};

const NO_LIMITS = { calls: 0, bytes: 0, range: 0, results: 0 };

/** Solana's own rig, with slots at the network's pace. */
const startSolana: RigStart<ProfileRig> = async (startSeconds, clock) => {
  const rig = await startSolanaRig(startSeconds, clock);
  const profile = profileOf({ id: rig.network });
  const { blockSeconds } = profile;
  let lagging = 0;
  let frozen = 0;
  const pass = async (seconds: number): Promise<RigHead> => {
    const firstTime = Math.floor(clock.nowMs() / SECOND_MS);
    let head = await rig.mine(1, { atTime: firstTime });
    for (let slot = 1; slot < Math.ceil(seconds / blockSeconds); slot += 1)
      head = await rig.mine(1, { atTime: firstTime + Math.floor(slot * blockSeconds) });
    return head;
  };
  return {
    ...rig,
    blockSeconds,
    profile,
    pass,
    refusals: ['busy', 'behind'],
    lagLogs: (slots) => {
      if (slots > 0) lagging += 1;
      rig.lagIndex(slots);
    },
    freeze: (isFrozen) => {
      if (isFrozen) frozen += 1;
      rig.freeze(isFrozen);
    },
    duplicateLogs: () => {},
    refuse: async (kind) => {
      await rig.up();
      rig.lag(0, 0);
      if (kind === 'busy') await rig.down();
      if (kind === 'behind') rig.lag(0.5, BEHIND_BLOCKS);
    },
    faults: () => ({
      indexLag: lagging,
      limits: NO_LIMITS,
      refusedTags: 0,
      beyondHead: 0,
      frozenHeads: frozen,
      duplicateLogs: 0,
    }),
  };
};

/** Seconds that a rig's network needs to settle a payment of fifty dollars. */
export function settleSeconds({ network: id, profile }: Pick<ProfileRig, 'network' | 'profile'>): number {
  const rule = parseTier(tierFor(findNetwork(id)?.policy ?? [], FIFTY_DOLLARS));
  if (rule.kind === 'age') return rule.seconds;
  const blocks = rule.kind === 'confirmations' ? rule.count : profile.finalizedLagBlocks.most;
  return blocks * profile.blockSeconds + profile.unexecutedSeconds;
}

/** Starts the rig of a network; only EVM networks can have several providers, of which the first has all other faults. */
export function startProfileRig(symbol: string, providers = 1): RigStart<ProfileRig> {
  const network = findNetwork(symbol);
  if (!network) throw new Error(`${symbol} is unknown.`);
  const starts = { evm: startEvm(symbol, providers), tron: startTron, solana: startSolana };
  return starts[network.family];
}
