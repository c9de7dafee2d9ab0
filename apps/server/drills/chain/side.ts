import type { Address, Hex } from 'viem';
import type { Clock } from '../../src/lib/clock.ts';
import { tronFromHex, tronToHex } from '../../src/networks/address.ts';
import type { Network } from '../../src/networks/network.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { coinOf } from '../../src/networks/network.ts';
import type { NetworkProfile } from '../../src/networks/profile.ts';
import { profileOf } from '../../src/networks/profile.ts';
import type { Traffic } from '../../rig/chains/evm/network-block.ts';
import type { NetworkChain } from '../../rig/chains/evm/network-chain.ts';
import type { FaultCounts, NodeFaults } from '../../rig/chains/evm/network-faults.ts';
import { NO_FAULTS } from '../../rig/chains/evm/network-faults.ts';
import { startNetworkNode } from '../../rig/chains/evm/network-node.ts';
import { BATCH_ADDRESS } from '../../rig/chains/evm/payment.ts';
import { FAUCET, sendAll } from '../../rig/chains/evm/sender.ts';
import { randomAddress } from '../../rig/chains/solana/accounts.ts';
import { startSolanaNode } from '../../rig/chains/solana/node.ts';
import { canonicalToken, canonicalTokens, mintData, MINTED_UNITS } from '../../rig/chains/evm/token.ts';
import { startTronNetworkNode } from '../../rig/chains/tron/network.ts';
import { nextAddress } from '../../rig/stores/open-store.ts';
import type { Driver } from './driver.ts';
import { startDriver } from './driver.ts';
import { startSolanaDriver } from './driver-solana.ts';
import type { TrueChain } from './truth.ts';
import { readTruth } from './truth.ts';

/** One network of the drill: its chain, its driver, and the provider through which workers see the chain. */

export type HideLog = (transactionHash: Hex, place: number, until?: { seconds?: number; answers?: number }) => void;

/** Faults of a provider from now on; faults that are not named are off. */
export type SideFaults = {
  /** Share of answers from a node that is `lagBlocks` behind, drawn per request or per call of a batch. */
  stale?: { share: number; lagBlocks: number; splitBatches: boolean };
  logsLagBlocks?: number;
  logsLagSeconds?: number;
  logsHole?: { from: number; to: number };
  /** Whether the provider's head stops at the present block while the provider goes on answering. */
  standsStill?: boolean;
  /** Whether each log of a range is listed twice. */
  duplicateLogs?: boolean;
};

export type SideCounts = {
  staleAnswers: number;
  /** Answers with logs missing because the index was behind, had a hole, or blocks were not executed. */
  indexLag: number;
  /** Answers without a log that the drill hid. */
  missingLogs: number;
  phantoms: number;
  limits: number;
  /** Calls that were answered while the head stood still. */
  frozenHeads: number;
  duplicateLogs: number;
};

export type Side = {
  symbol: string;
  network: Network;
  profile: NetworkProfile;
  url: string;
  driver: Driver;
  newAddress(): string;
  /** Number of calls for logs. */
  reads(): number;
  behave(faults: SideFaults): void;
  counts(): SideCounts;
  /** Traffic of strangers per block, and the number of blocks that a client refuses to answer for at once. */
  crowd(): { traffic: Traffic; blocks: number } | undefined;
  truth(): TrueChain;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

export type SideOptions = { clock: Clock; seed: number; paymentsPerBlock: number; random: () => number };

const SECOND_MS = 1_000;

/** Number of blocks that together exceed what a client answers at once, while each block alone does not. */
const CROWD_BLOCKS = 2;
const CROWD_SPARE = 1.1;

function crowdOf({ profile, busyToken: token }: NetworkChain): { traffic: Traffic; blocks: number } {
  const { logsMaxResults, batchMaxBytes } = profile;
  const share = (limit: number) => Math.ceil((limit * CROWD_SPARE) / CROWD_BLOCKS);
  const traffic =
    logsMaxResults === null
      ? // Half of the limit is enough: the data is sent as hexadecimal text, with two digits per byte.
        { token, transfers: 0, inputBytes: Math.ceil(share(batchMaxBytes ?? 0) / 2) }
      : { token, transfers: share(logsMaxResults), inputBytes: 0 };
  return { traffic, blocks: CROWD_BLOCKS };
}

function nodeFaults(faults: SideFaults, head: number): Partial<NodeFaults> {
  const { stale, logsLagBlocks = 0, logsLagSeconds = 0, logsHole } = faults;
  const { share = 0, lagBlocks = 0, splitBatches = false } = stale ?? {};
  return {
    backends: stale
      ? [
          { share: 1 - share, lagBlocks: 0 },
          { share, lagBlocks },
        ]
      : NO_FAULTS.backends,
    splitBatches,
    reverseBatches: splitBatches,
    logsLagBlocks,
    logsLagSeconds,
    logsHole: logsHole ?? null,
    headStandsAt: faults.standsStill === true ? head : null,
    duplicateLogs: faults.duplicateLogs === true,
  };
}

function sum(counts: FaultCounts): SideCounts {
  const { calls, bytes, range, results } = counts.limits;
  return {
    staleAnswers: counts.staleAnswers,
    indexLag: counts.indexLag + counts.holes + counts.unexecuted,
    missingLogs: counts.missingLogs,
    phantoms: counts.phantoms,
    limits: calls + bytes + range + results,
    frozenHeads: counts.frozenHeads,
    duplicateLogs: counts.duplicateLogs,
  };
}

/** Mints tokens for the batch contract, which pays out of its own funds. */
async function fundBatches({ anvil, network }: NetworkChain): Promise<void> {
  const tokens = canonicalTokens(network.chainId ?? 0);
  await sendAll(
    anvil,
    tokens.map(({ address }) => ({ from: FAUCET, to: address, data: mintData(BATCH_ADDRESS, MINTED_UNITS) })),
  );
}

type ChainParts = {
  chain: NetworkChain;
  hideLog: HideLog;
  toHexAddress: (address: string) => Address;
  addressOf: (hex: string) => string;
  txOf: (hash: string) => string;
};

/** Parts of a drilled network that EVM networks and Tron share: both use the same kind of simulated chain. */
async function chainParts({ chain, hideLog, toHexAddress, addressOf, txOf }: ChainParts, options: SideOptions) {
  const { symbol, network, profile } = chain;
  await fundBatches(chain);
  await chain.produce(1);
  const { paymentsPerBlock, random } = options;
  const tokenAddress = (token: string) => canonicalToken(network.chainId ?? 0, token).address;
  const driver = startDriver({ chain, paymentsPerBlock, random, hideLog, toHexAddress, tokenAddress });
  const coin = coinOf(network)?.symbol ?? '';
  return {
    symbol,
    network,
    profile,
    driver,
    crowd: () => crowdOf(chain),
    truth: () => readTruth({ chain, coin, addressOf, txOf }),
  };
}

const plain = (text: string) => text;

async function openEvmSide(symbol: string, options: SideOptions): Promise<Side> {
  const node = await startNetworkNode({ network: symbol, clock: options.clock, seed: options.seed });
  const { chain, provider } = node;
  const parts: ChainParts = {
    chain,
    hideLog: (...hidden) => provider.hideLog(...hidden),
    toHexAddress: (to: string) => to as Address,
    addressOf: plain,
    txOf: plain,
  };
  return {
    ...(await chainParts(parts, options)),
    url: provider.url,
    newAddress: nextAddress,
    reads: () => provider.counts().calls['eth_getLogs'] ?? 0,
    behave: (faults) => provider.behave(nodeFaults(faults, chain.head())),
    counts: () => sum(provider.counts()),
    down: () => provider.down(),
    up: () => provider.up(),
    stop: () => node.stop(),
  };
}

function tronAddress(hex: string): string {
  const address = tronFromHex(hex);
  if (address === undefined) throw new Error(`${hex} is no address.`);
  return address;
}

async function openTronSide(options: SideOptions): Promise<Side> {
  const node = await startTronNetworkNode({ clock: options.clock, seed: options.seed });
  const parts: ChainParts = {
    chain: node.chain,
    hideLog: (...hidden) => node.hideLog(...hidden),
    toHexAddress: (address: string) => tronToHex(address) as Address,
    addressOf: tronAddress,
    txOf: (hash: string) => hash.slice(2),
  };
  return {
    ...(await chainParts(parts, options)),
    url: node.url,
    newAddress: () => tronAddress(nextAddress()),
    reads: () => node.counts().calls['eth_getLogs'] ?? 0,
    behave: ({ stale, logsLagBlocks = 0, logsLagSeconds = 0, logsHole, standsStill, duplicateLogs }) =>
      node.behave({
        headStandsAt: standsStill === true ? node.chain.head() : null,
        duplicateLogs: duplicateLogs === true,
        lagShare: stale?.share ?? 0,
        lagBlocks: stale?.lagBlocks ?? 0,
        splitBatches: stale?.splitBatches ?? false,
        logsLagBlocks,
        logsLagSeconds,
        logsHole: logsHole ?? null,
      }),
    counts: () => sum(node.counts()),
    down: () => node.down(),
    up: () => node.up(),
    stop: () => node.stop(),
  };
}

const SOLANA = 'SOL';

async function openSolanaSide(network: Network, { clock, seed, paymentsPerBlock, random }: SideOptions): Promise<Side> {
  const profile = profileOf(network);
  const finalityLag = profile.finalizedLagBlocks.most;
  const node = await startSolanaNode({
    timestamp: Math.floor(clock.nowMs() / SECOND_MS) - finalityLag,
    seed,
  });
  const slotMs = profile.blockSeconds * SECOND_MS;
  const driver = startSolanaDriver({ node, clock, slotMs, paymentsPerBlock, random });
  const answered = { stale: 0, lagging: 0, frozen: 0 };
  const { calls } = node.counts();
  const listed = () => node.counts().calls['getSignaturesForAddress'] ?? 0;
  let behaving: SideFaults = {};
  let since = calls['getSignaturesForAddress'] ?? 0;
  /**
   * Estimates how many answers had a fault, from the number of signature lists that were asked for while the fault was
   * on: the Solana rig does not count faults.
   */
  const note = () => {
    const asked = listed() - since;
    since = listed();
    if (behaving.stale) answered.stale += Math.floor(asked * behaving.stale.share);
    if ((behaving.logsLagBlocks ?? 0) > 0) answered.lagging += asked;
    if (behaving.standsStill === true) answered.frozen += asked;
  };
  return {
    symbol: SOLANA,
    network,
    profile,
    url: node.url,
    driver,
    newAddress: randomAddress,
    reads: listed,
    behave: (faults) => {
      note();
      behaving = faults;
      const { share = 0, lagBlocks = 0, splitBatches = false } = faults.stale ?? {};
      const standsAt = faults.standsStill === true ? driver.head() : null;
      const indexLagSlots = faults.logsLagBlocks ?? 0;
      node.behave({ staleShare: share, lagSlots: lagBlocks, splitBatches, indexLagSlots, standsAt });
    },
    counts: () => {
      note();
      const none = { missingLogs: 0, phantoms: 0, limits: 0, duplicateLogs: 0 };
      return { ...none, staleAnswers: answered.stale, indexLag: answered.lagging, frozenHeads: answered.frozen };
    },
    crowd: () => undefined,
    truth: () => driver.truth(),
    down: async () => node.behave({ fault: 'busy', faultShare: 1 }),
    up: async () => node.behave({ fault: null }),
    stop: () => node.stop(),
  };
}

export async function openSide(symbol: string, options: SideOptions): Promise<Side> {
  const network = findNetwork(symbol);
  if (!network) throw new Error(`${symbol} is unknown.`);
  switch (network.family) {
    case 'evm':
      return openEvmSide(symbol, options);
    case 'tron':
      return openTronSide(options);
    case 'solana':
      return openSolanaSide(network, options);
  }
}
