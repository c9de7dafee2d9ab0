import { finishStatements, followStatements } from '../../src/accounts/follow-statements.ts';
import type { StatementFollower } from '../../src/accounts/statement-follower.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { EXCHANGE_NETWORKS } from '../../src/networks/exchange-networks.ts';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { createExchangeReader, FAKES, startFake } from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeExchange, FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import { receiveAt } from '../../rig/exchanges/receive-at.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';

/** Requests that following exchange accounts with open quotes costs at each platform, whose quotas the fakes enforce. */

const ACCOUNTS = 100;
const MS_PER_SECOND = 1_000;
const MS_PER_MINUTE = 60_000;
/** Interval of added accounts: adding all together would exceed the platforms' limits per address. */
const ADDED_EVERY_MS = 1_000;
/** In this time every kind of read has its turn: the newest rows, the last half hour, an hour of the last day. */
const FULL_MS = 150_000;
const QUICK_MS = 30_000;
const MAX_STEPS = 1_000;
/** How often a worker reads the clock of a platform. */
const HEAD_MS = 5_000;

type Bench = {
  drill: DrillDatabase;
  fake: FakeExchange;
  clock: ReturnType<typeof createManualClock>;
  network: string;
  pollMs: number;
};

async function openStores({ drill, fake, clock }: Bench): Promise<TestStore[]> {
  const stores: TestStore[] = [];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const store = await openStore(drill.database, { clock, wallet: false });
    await receiveAt({ database: drill.as('admin'), clock }, fake, store);
    stores.push(store);
    clock.advance(ADDED_EVERY_MS);
  }
  return stores;
}

/** Polls every account that is due, as a worker does. Database time cannot be moved, so stored times are. */
async function poll({ drill, clock, pollMs }: Bench, follower: StatementFollower): Promise<void> {
  clock.advance(pollMs);
  await drill.database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if ((await followStatements(follower)) !== 'worked') return finishStatements(follower);
  }
  throw new Error('Following does not come to rest.');
}

async function openQuotes(bench: Bench, stores: readonly TestStore[]): Promise<void> {
  const { drill, clock, network } = bench;
  const engine = { ...drill, clock };
  await setPrices(engine);
  for (const store of stores) {
    const transId = await newInvoice(engine, store);
    await selectMethod({ database: drill.as('api'), clock }, { transId, network, token: 'USDT' });
  }
}

/** The requests per minute, of the path that is asked most those of one account, and the time between two polls of one. */
async function measure(bench: Bench, follower: StatementFollower, forMs: number) {
  const { fake, clock } = bench;
  const before = fake.counts();
  const startedMs = clock.nowMs();
  let rounds = 0;
  for (; clock.nowMs() - startedMs < forMs; rounds += 1) await poll(bench, follower);
  const after = fake.counts();
  const everyMs = (clock.nowMs() - startedMs) / rounds;
  const minutes = (clock.nowMs() - startedMs) / MS_PER_MINUTE;
  if (after.refused > 0) throw new Error(`${fake.platform} refused ${after.refused} requests.`);
  if ((follower.counts.failures ?? 0) > 0) throw new Error(`${follower.counts.failures} polls failed.`);
  const asked = Object.entries(after.paths).map(([path, count]) => ({
    path,
    perAccount: (count - (before.paths[path] ?? 0)) / minutes / ACCOUNTS,
  }));
  const [most = { path: '', perAccount: 0 }] = asked.toSorted((left, right) => right.perAccount - left.perAccount);
  return { perMinute: (after.requests - before.requests) / minutes, most, everyMs };
}

async function measurePlatform(platform: FakePlatform, forMs: number): Promise<number> {
  const network = EXCHANGE_NETWORKS.find(({ id }) => id === `EXCHANGE_PAY:${platform}`);
  if (!network) throw new Error(`${platform} is unknown.`);
  const clock = createManualClock(systemClock.nowMs());
  const fake = await startFake(platform, { clock });
  try {
    return await withDrillDatabase(async (drill) => {
      const bench = { drill, fake, clock, network: network.id, pollMs: network.pollMs };
      const stores = await openStores(bench);
      const [first] = stores;
      if (!first) throw new Error('There is no store.');
      const follower = { ...createExchangeReader({ ...drill, clock }, network.id, first), headMs: HEAD_MS };
      await poll(bench, follower);
      await openQuotes(bench, stores);
      // The first poll with a quote also reads the past of the exchange account: that is not measured.
      await poll(bench, follower);
      const { perMinute, most, everyMs } = await measure(bench, follower, forMs);
      console.log(
        `${network.name}, ${ACCOUNTS} accounts, each read every ${(everyMs / MS_PER_SECOND).toFixed(1)} s: ` +
          `${perMinute.toFixed(0)} requests/min, of ${most.path} ${most.perAccount.toFixed(1)} per account, of ${network.platform.requestsPerMinute} that the platform allows`,
      );
      return Math.round(perMinute);
    });
  } finally {
    await fake.stop();
  }
}

/** Requests per minute by platform, in lower case. */
export async function measureExchanges({ quick }: { quick: boolean }): Promise<Record<string, number>> {
  const platforms = Object.keys(FAKES) as FakePlatform[];
  const found: Record<string, number> = {};
  for (const platform of quick ? platforms.slice(0, 1) : platforms)
    found[platform.toLowerCase()] = await measurePlatform(platform, quick ? QUICK_MS : FULL_MS);
  return found;
}
