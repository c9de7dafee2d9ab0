import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import type { Clock, ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { parseTier, tiersOf } from '../../src/networks/finality.ts';
import type { Network } from '../../src/networks/network.ts';
import type { Networks } from '../../src/networks/networks.ts';
import { findNetwork, NETWORKS } from '../chains/networks.ts';
import { profileOf } from '../../src/networks/profile.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import { startAnvil } from '../chains/evm/anvil.ts';
import { genesisOf } from '../chains/genesis.ts';
import { mine } from '../chains/evm/reorg.ts';
import { installCanonicalTokens } from '../chains/evm/token.ts';
import type { StoreOptions, TestStore } from '../stores/open-store.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { nextAddress, openStore, TESTER } from '../stores/open-store.ts';
import type { Template } from '../database/template-database.ts';
import { openTestDatabase } from '../database/test-database.ts';

/** Real nodes and the engine that reads them in one process, on a clock that only the test moves. */

export type FollowerChange = {
  owner?: string;
  failpoint?: (name: string) => void | Promise<void>;
  timeoutMs?: number;
  steady?: Clock;
};

/**
 * An engine with its own database. `database` connects as the administrator; the engine connects in the worker's role.
 */
export type EngineFixture = Pick<TestDatabase, 'database' | 'as'> & {
  /** URL of the database, for other processes. */
  url: string;
  clock: ManualClock;
  networks: Networks;
  /** Emails are stored but not sent. */
  jobs: undefined;
  chains: Record<string, { anvil: Anvil; follower: Follower; genesisHash: string | undefined }>;
  /** URL of the Solana node, where there is a Solana node. */
  solanaUrl?: string;
  close: () => Promise<void>;
};

const log = pino({ level: 'silent' });

/** Blocks that are mined beyond the settling depth, because a reader stays some blocks behind the head. */
const SPARE_BLOCKS = 14;
export const CHAIN_IDS: Record<string, number> = { BSC: 56, ETH: 1 };

/** Blocks at the start: more than the deepest tier requires. */
const FIRST_BLOCKS = 120;

/**
 * Slots per epoch such that `finalized`, which is two epochs behind the head, is as far behind as on the real network.
 */
function slotsOf(network: Network): number {
  const { finalizedLagSeconds, blockSeconds } = profileOf(network);
  return Math.max(1, Math.round(finalizedLagSeconds / blockSeconds / 2));
}

/** Number of blocks after which a pending payment has settled by the tier for small sums. */
export function settlingBlocks(network: Network): number {
  const [smallest] = tiersOf(network.policy).map(parseTier);
  const depth = smallest?.kind === 'confirmations' ? smallest.count : 2 * slotsOf(network);
  return depth + SPARE_BLOCKS;
}

export async function openEngineFixture(
  template: Template,
  networks: readonly string[],
  connections?: number,
): Promise<EngineFixture> {
  const own: TestDatabase = await openTestDatabase(template, connections);
  const startSeconds = Math.floor(systemClock.nowMs() / 1000);
  const clock = createManualClock(startSeconds * 1000);
  const apply = createApplyTransfers({ clock, networks: NETWORKS });
  const chains: EngineFixture['chains'] = {};
  for (const symbol of networks) {
    const network = findNetwork(symbol);
    const chainId = CHAIN_IDS[symbol];
    if (!network || chainId === undefined) throw new Error(`The rig has no ${symbol}.`);
    const anvil = await startAnvil({ chainId, slotsInAnEpoch: slotsOf(network), timestamp: startSeconds - 3_600 });
    await installCanonicalTokens(anvil);
    await mine(anvil, FIRST_BLOCKS, { secondsBetween: 1 });
    const genesisHash = await genesisOf(anvil.url);
    const source = createEvmSource(network, [anvil.url], { monotonic: clock, genesisHash });
    chains[symbol] = {
      anvil,
      genesisHash,
      follower: createFollower({
        database: own.as('worker'),
        clock,
        ageClock: clock,
        log,
        source,
        owner: 'test',
        apply,
      }),
    };
  }
  return {
    database: own.database,
    as: own.as,
    url: own.url,
    clock,
    networks: NETWORKS,
    jobs: undefined,
    chains,
    close: async () => {
      await Promise.all(Object.values(chains).map(({ anvil }) => anvil.stop()));
      await own.drop();
    },
  };
}

export async function openPayableStore(engine: EngineFixture, options: StoreOptions = {}): Promise<TestStore> {
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false, ...options });
  for (const network of Object.keys(engine.chains)) {
    await addWallet(engine, TESTER, {
      store: store.ref,
      network,
      address: nextAddress(),
    });
  }
  return store;
}

export function chainOf(engine: EngineFixture, network: string): EngineFixture['chains'][string] {
  const chain = engine.chains[network];
  if (!chain) throw new Error(`The engine has no ${network}.`);
  return chain;
}

export function fail(): never {
  throw new Error('It is unknown.');
}

/** Creates a reader of the same database that asks other URLs than the node's own URL. */
export function followerOf(
  engine: EngineFixture,
  network: string,
  urls: readonly string[],
  parts: FollowerChange = {},
): Follower {
  const { clock } = engine;
  const { timeoutMs, ...more } = parts;
  const { follower, genesisHash } = chainOf(engine, network);
  const source = createEvmSource(follower.source.network, urls, { timeoutMs, monotonic: clock, genesisHash });
  const common = {
    database: engine.as('worker'),
    clock,
    ageClock: clock,
    log,
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
  };
  return createFollower({ ...common, source, owner: 'test', ...more });
}

export function secondsNow(engine: EngineFixture): number {
  return Math.floor(engine.clock.nowMs() / 1000);
}
