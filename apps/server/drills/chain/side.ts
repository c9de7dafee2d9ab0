import { tronFromHex, tronToHex } from '@counterfoil/core/tron-address.ts';
import type { Address } from 'viem';
import type { Clock, CorrectedClock } from '../../src/lib/clock.ts';
import { createCorrectedClock } from '../../src/lib/clock.ts';
import type { Network } from '../../src/networks/network.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { coinOf } from '../../src/networks/network.ts';
import type { NetworkProfile } from '../../src/networks/profile.ts';
import { profileOf } from '../../src/networks/profile.ts';
import type { Traffic } from '../../rig/chains/evm/network-block.ts';
import type { NetworkChain } from '../../rig/chains/evm/network-chain.ts';
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
import type { HideLog, LogProvider, SideCounts, SideFaults, SideProvider } from './side-faults.ts';
import { evmProvider, solanaProvider, tronProvider } from './side-faults.ts';
import type { TrueChain } from './truth.ts';
import { readTruth } from './truth.ts';

/** One network of the drill: its chain, its driver, and the provider through which workers see the chain. */

export type Side = {
  symbol: string;
  network: Network;
  profile: NetworkProfile;
  /** Providers of the network in the order in which workers are given them. */
  providers: readonly SideProvider[];
  driver: Driver;
  newAddress(): string;
  /** Number of calls for logs at the first provider. */
  reads(): number;
  /** Faults and counts of the first provider. */
  behave(faults: SideFaults): void;
  counts(): SideCounts;
  /**
   * Halts the chain for so many seconds of its clock; then its block times are that far behind. With 0 the blocks that
   * are due follow in a burst.
   */
  delay(seconds: number): void;
  /** Number of blocks that were made with a time far behind the clock. */
  slowBlocks(): number;
  /** Traffic of strangers per block, and the number of blocks that a client refuses to answer for at once. */
  crowd(): { traffic: Traffic; blocks: number } | undefined;
  truth(): TrueChain;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

export type SideOptions = {
  clock: Clock;
  seed: number;
  paymentsPerBlock: number;
  random: () => number;
  /** Number of providers, one or two, that see the same chain. */
  providers: 1 | 2;
};

const SECOND_MS = 1_000;

/** The providers of a side, of which the first has the faults that a phase names. */
function providersOf(providers: readonly SideProvider[]): Pick<Side, 'providers' | 'behave' | 'counts'> {
  const [first] = providers;
  if (!first) throw new Error('There is no provider.');
  return { providers, behave: (faults) => first.behave(faults), counts: () => first.counts() };
}

type Slowness = Pick<Side, 'delay' | 'slowBlocks'>;

/** Moves a chain's clock, and counts blocks that are made meanwhile. */
function slownessOf(clock: CorrectedClock, head: () => number): Slowness {
  let made = 0;
  let since: number | undefined;
  const madeNow = () => (since === undefined ? 0 : head() - since);
  return {
    delay: (seconds) => {
      made += madeNow();
      since = seconds > 0 ? head() : undefined;
      clock.correct(-seconds * SECOND_MS);
    },
    slowBlocks: () => made + madeNow(),
  };
}

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
  clock: CorrectedClock;
  providers: readonly LogProvider[];
  toHexAddress: (address: string) => Address;
  addressOf: (hex: string) => string;
  txOf: (hash: string) => string;
};

/** Parts of a drilled network that EVM networks and Tron share: both use the same kind of simulated chain. */
async function chainParts(parts: ChainParts, options: SideOptions) {
  const { chain, clock, providers, toHexAddress, addressOf, txOf } = parts;
  const { symbol, network, profile } = chain;
  await fundBatches(chain);
  await chain.produce(1);
  const { paymentsPerBlock, random } = options;
  const tokenAddress = (token: string) => canonicalToken(network.chainId ?? 0, token).address;
  const hideLog: HideLog = (...hidden) => {
    for (const provider of providers) provider.hideLog(...hidden);
  };
  const driver = startDriver({ chain, paymentsPerBlock, random, hideLog, toHexAddress, tokenAddress });
  const coin = coinOf(network)?.symbol ?? '';
  return {
    symbol,
    network,
    profile,
    driver,
    ...providersOf(providers),
    ...slownessOf(clock, () => driver.head()),
    crowd: () => crowdOf(chain),
    truth: () => readTruth({ chain, coin, addressOf, txOf }),
  };
}

const plain = (text: string) => text;
const hexAddress = (text: string) => text as Address;

async function openEvmSide(symbol: string, options: SideOptions): Promise<Side> {
  const clock = createCorrectedClock(options.clock);
  const node = await startNetworkNode({ network: symbol, clock, seed: options.seed });
  const { chain, provider } = node;
  const all = options.providers === 2 ? [provider, await node.openProvider()] : [provider];
  const providers = all.map((one) => evmProvider(one, () => chain.head()));
  const parts = { chain, clock, providers, toHexAddress: hexAddress, addressOf: plain, txOf: plain };
  return {
    ...(await chainParts(parts, options)),
    newAddress: nextAddress,
    reads: () => provider.counts().calls['eth_getLogs'] ?? 0,
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
  const clock = createCorrectedClock(options.clock);
  const node = await startTronNetworkNode({ clock, seed: options.seed });
  const { chain } = node;
  const all = options.providers === 2 ? [node, await node.openProvider()] : [node];
  const parts: ChainParts = {
    chain,
    clock,
    providers: all.map((one) => tronProvider(one, () => chain.head())),
    toHexAddress: (address: string) => tronToHex(address) as Address,
    addressOf: tronAddress,
    txOf: (hash: string) => hash.slice(2),
  };
  return {
    ...(await chainParts(parts, options)),
    newAddress: () => tronAddress(nextAddress()),
    reads: () => node.counts().calls['eth_getLogs'] ?? 0,
    down: () => node.down(),
    up: () => node.up(),
    stop: () => node.stop(),
  };
}

const SOLANA = 'SOL';

async function openSolanaSide(network: Network, options: SideOptions): Promise<Side> {
  const { seed, paymentsPerBlock, random } = options;
  const clock = createCorrectedClock(options.clock);
  const profile = profileOf(network);
  const finalityLag = profile.finalizedLagBlocks.most;
  const node = await startSolanaNode({
    timestamp: Math.floor(clock.nowMs() / SECOND_MS) - finalityLag,
    seed,
  });
  const slotMs = profile.blockSeconds * SECOND_MS;
  const driver = startSolanaDriver({ node, clock, slotMs, paymentsPerBlock, random });
  const doors = options.providers === 2 ? [node, await node.openDoor()] : [node];
  return {
    symbol: SOLANA,
    network,
    profile,
    driver,
    ...providersOf(doors.map((door) => solanaProvider(door, () => driver.head()))),
    ...slownessOf(clock, () => driver.head()),
    newAddress: randomAddress,
    reads: () => node.counts().calls['getSignaturesForAddress'] ?? 0,
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
