import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { dayOf } from '../../src/days/store-day.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestStore } from '../../src/sandbox/create-test-store.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** The first page of a merchant that has live and test stores. */

let site: DashboardSite;
let live: TestStore;
let trying: { id: bigint; merchantId: string };
let owner: RigMember;

const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  live = await openStore(site.database, { ring });
  const { merchantAccountId } = live;
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  owner = await makeMember(site, 'owner', { account: rows[0]?.code ?? '', merchantAccountId });
  const context = { networks: NETWORKS, database: site.database, clock: systemClock, ring, jobs: undefined };
  trying = await createTestStore(context, TESTER, {
    merchantAccountId,
    name: 'Trying',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
});
afterAll(() => site.close());

type Home = {
  today: { completed: number };
  balances: { merchant_id: string }[];
  attention: { failing_receivers: { merchant_id: string }[]; ending_keys: { merchant_id: string }[] };
  steps: Record<string, boolean>;
};

async function readHome(mode: string): Promise<Home> {
  const { body } = await owner.person.browser.send('GET', `/accounts/${owner.account}/home?mode=${mode}`);
  return body.data as unknown as Home;
}

async function complete(storeId: bigint, completed: number): Promise<void> {
  await query(
    `insert into store_days (store_id, day, network, token, completed) values ($1, $2, 'BSC', 'USDT', $3)
     on conflict do nothing`,
    [storeId, dayOf(systemClock.nowMs()), completed],
  );
}

/** What the page shows of which stores. */
const seen = async (mode: string) => {
  const { today, balances, attention } = await readHome(mode);
  return {
    completed: today.completed,
    stores: [
      ...new Set([...balances, ...attention.failing_receivers, ...attention.ending_keys].map((one) => one.merchant_id)),
    ],
    receivers: attention.failing_receivers.length,
  };
};

test('figures, balances and what needs attention are those of live stores, or those of test stores, never of both', async () => {
  await complete(live.id, 3);
  await complete(trying.id, 500);
  await query(
    `insert into endpoints (store_id, url, host, failures, failing_since) values ($1, 'https://a.test', 'a.test', 3, now()),
       ($2, 'https://b.test', 'b.test', 3, now())`,
    [live.id, trying.id],
  );
  await query(`update api_keys set expires_at = now() + interval '1 day'`);
  expect(await seen('live')).toEqual({ completed: 3, stores: [live.merchantId], receivers: 1 });
  expect(await seen('test')).toEqual({ completed: 500, stores: [trying.merchantId], receivers: 1 });
});

test('a live store is there however many test stores are older than it', async () => {
  // Test stores are created first: the page reads two hundred stores, oldest first.
  await query(
    `insert into stores (merchant_account_id, merchant_id, shard, name, live, plan_id, created_at)
     select s.merchant_account_id, 'MID-OLD' || n, s.shard, 'Old ' || n, false, s.plan_id, now()
     from stores s, generate_series(1, 200) n where s.id = $1`,
    [trying.id],
  );
  const { rows } = await site.database.pool.query<{ id: bigint }>(
    `insert into stores (merchant_account_id, merchant_id, shard, name, live, plan_id, created_at)
     select merchant_account_id, 'MID-LATEST', shard, 'Latest', true, plan_id, now() from stores where id = $1 returning id`,
    [live.id],
  );
  await complete(rows[0]?.id ?? 0n, 40);
  const home = await readHome('live');
  expect(home.today.completed).toBe(43);
  expect(home.steps).toMatchObject({ store: true, live_payment: true, test_payment: true });
});
