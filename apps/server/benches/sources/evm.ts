import { pino } from 'pino';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import type { Database } from '../../src/db/database.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { Network } from '../../src/networks/network.ts';
import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import { coinOf } from '../../src/networks/network.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import type { NetworkNode, NetworkProvider } from '../../rig/chains/evm/network-node.ts';
import { startNetworkNode } from '../../rig/chains/evm/network-node.ts';

/**
 * Measures what following an EVM network costs each provider in a day, counted by simulated providers: with one and
 * with two of them, with open quotes in tokens, and with one in the network's coin, which needs whole blocks.
 */

/** Warm-up, longer than the time between first and second reads. */
const WARM_SECONDS = 20;
const MAX_STEPS = 500;
const DAY_SECONDS = 86_400;
const TRANSFERS_PER_BLOCK = 5;
const ADDRESS = '0x00000000000000000000000000000000000000aa';

type DailyCost = { requests: number; calls: number };
export type DailyCosts = Record<'one' | 'one_coins' | 'two' | 'two_coins', DailyCost>;

type Rig = { node: NetworkNode; providers: NetworkProvider[]; database: Database; clock: ManualClock };

async function poll(follower: Follower): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const head = await followHead(follower);
    if ((await followTiers(follower)) !== 'worked' && head !== 'worked') return;
  }
  throw new Error(`${follower.source.network.id} does not come to rest.`);
}

/** Lets seconds of the chain pass. Stored reads are aged too, because their age is in database time. */
async function live({ node, database, clock }: Rig, follower: Follower, seconds: number): Promise<void> {
  const { pollMs } = follower.source.network;
  for (let passedMs = 0; passedMs < seconds * 1_000; passedMs += pollMs) {
    clock.advance(pollMs);
    await node.chain.advance({
      traffic: { token: node.chain.busyToken, transfers: TRANSFERS_PER_BLOCK, inputBytes: 0 },
    });
    await database.pool.query('update chain_reads set read_at = read_at - make_interval(secs => $1)', [pollMs / 1_000]);
    await poll(follower);
  }
}

function countAll(providers: readonly NetworkProvider[]): DailyCost[] {
  return providers.map((provider) => {
    const { requests, calls } = provider.counts();
    return { requests, calls: Object.values(calls).reduce((sum, count) => sum + count, 0) };
  });
}

/** Daily cost of the provider with the most calls. */
async function measure(rig: Rig, follower: Follower, seconds: number): Promise<DailyCost> {
  await live(rig, follower, WARM_SECONDS);
  const before = countAll(rig.providers);
  await live(rig, follower, seconds);
  const perDay = (after: number, earlier = 0) => Math.round(((after - earlier) * DAY_SECONDS) / seconds);
  const days = countAll(rig.providers).map(({ requests, calls }, place) => ({
    requests: perDay(requests, before[place]?.requests),
    calls: perDay(calls, before[place]?.calls),
  }));
  return days.toSorted((left, right) => right.calls - left.calls)[0] ?? { requests: 0, calls: 0 };
}

async function measureWith(network: Network, count: number, seconds: number): Promise<[DailyCost, DailyCost]> {
  const clock = createManualClock(systemClock.nowMs());
  const node = await startNetworkNode({ network: network.id, clock });
  try {
    const providers = [node.provider];
    while (providers.length < count) providers.push(await node.openProvider());
    return await withDrillDatabase(async ({ database, as }) => {
      const urls = providers.map(({ url }) => url);
      const source = createEvmSource(network, urls, { monotonic: clock });
      const log = pino({ level: 'silent' });
      const follower = createFollower({
        database: as('worker'),
        clock,
        log,
        source,
        owner: 'bench',
        apply: createApplyTransfers({ clock, networks: NETWORKS }),
      });
      const rig = { node, providers, database, clock };
      const tokens = await measure(rig, follower, seconds);
      await database.pool.query(
        'insert into amount_slots (network, token, address, display_units, quote_id) values ($1, $2, $3, 1, 0)',
        [network.id, coinOf(network)?.symbol, ADDRESS],
      );
      return [tokens, await measure(rig, follower, seconds)];
    });
  } finally {
    await node.stop();
  }
}

const EVM = CHAIN_NETWORKS.filter(({ family }) => family === 'evm').map(({ id }) => id);

/** Daily costs by symbol; of all EVM networks when none is named. */
export async function measureEvm(seconds: number, symbols = EVM): Promise<Record<string, DailyCosts>> {
  const found: Record<string, DailyCosts> = {};
  for (const network of CHAIN_NETWORKS.filter(({ id }) => symbols.includes(id))) {
    const [one, one_coins] = await measureWith(network, 1, seconds);
    const [two, two_coins] = await measureWith(network, 2, seconds);
    const costs = { one, one_coins, two, two_coins };
    found[network.id] = costs;
    const words = Object.entries(costs).map(([kind, { requests, calls }]) => `${kind} ${calls} calls in ${requests}`);
    console.log(`${network.id} per day and provider: ${words.join(', ')} requests`);
  }
  return found;
}
