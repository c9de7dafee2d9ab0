import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { findToken } from '../../src/networks/network.ts';
import { chainUnits } from '../../src/quotes/quote.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import { selectWhenOffered } from '../../rig/invoices/select-method.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { killWorkerAt } from '../../rig/processes/kill-worker-at.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startWorker } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { setPrices } from '../../rig/site/market.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';

/** Balances in the dashboard: what a store has, and how a member tops it up, with all processes and a node. */

const CHECKOUT_URL = 'https://checkout.example';
const NETWORK = 'BSC';
const SOON = { pollMs: 50 };
const FIRST_BLOCKS = 40;
const SETTLING_BLOCKS = 30;
/** More blocks than first reads stay behind the head. */
const PRESENT_BLOCKS = 7;

let site: DashboardSite;
let store: TestStore;
let topupStore: TestStore;
let owner: RigMember;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'), { COUNTERFOIL_CHECKOUT_URL: CHECKOUT_URL });
  const ring = await openKeyRing(site.path);
  topupStore = await openStore(site.database, { ring, creditMicroUsd: 0n });
  store = await openStore(site.database, { ring, creditMicroUsd: 0n });
  const { merchantAccountId } = store;
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  owner = await makeMember(site, 'owner', { account: rows[0]?.code ?? '', merchantAccountId });
});
afterAll(() => site.close());

const context = () => ({ database: site.database, clock: systemClock });
const send = (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${owner.account}/stores/${store.merchantId}${path}`, body);
const secondsNow = () => Math.floor(systemClock.nowMs() / 1000);
/** Drops the leases of dead workers, which would run out after a while. */
const dropLeases = () => site.database.pool.query('update chains set lease_owner = null');
const topUp = (amount: unknown) => send('POST', '/topups', { amount });

test('without a store for top-ups a member is told that they are not set up', async () => {
  expect((await send('GET', '/balance')).body.data).toEqual({
    available: '0.00',
    held: '0.00',
    held_is_partial: false,
    overdraft: '0.00',
    low_balance: null,
    top_ups_offered: false,
  });
  expect(await topUp('25.00')).toMatchObject({ status: 409, body: { error_code: 'TOP_UPS_NOT_SET_UP' } });
  await setStorePurpose(context(), TESTER, { store: topupStore.ref, purpose: 'topup' });
  expect((await send('GET', '/balance')).body.data).toMatchObject({ top_ups_offered: true });
});

test.each(['4.99', '10000.01', '25.001', '-5', '5e2', '', ' 5', '=5', null])(
  'an amount of %s is refused',
  async (amount) => {
    expect(await topUp(amount)).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } });
  },
);

describe('the threshold of a low balance', () => {
  test('is set, shown and taken away, by whoever may top up', async () => {
    expect((await send('PATCH', '/balance', { low_balance: '12.50' })).body.data).toEqual({ low_balance: '12.50' });
    expect((await send('GET', '/balance')).body.data).toMatchObject({ low_balance: '12.50' });
    const viewer = await makeMember(site, 'viewer', owner);
    expect(await send('PATCH', '/balance', { low_balance: null }, viewer)).toMatchObject({ status: 403 });
    expect((await send('PATCH', '/balance', { low_balance: null })).body.data).toEqual({ low_balance: null });
    expect((await send('GET', '/balance')).body.data).toMatchObject({ low_balance: null });
  });

  test.each(['-1', '1000000.01', 'x', 5])('is not %s', async (amount) => {
    expect(await send('PATCH', '/balance', { low_balance: amount })).toMatchObject({ status: 400 });
  });
});

test('a statement shows notes as they are, the newest first, and goes on after its last row', async () => {
  const notes = ['=cmd|calc', '<script>alert(1)</script>', '+1', '@x', '-1'];
  for (let count = 0; count < 60; count += 1) {
    const note = notes[count % notes.length] ?? '';
    await creditBalance(context(), TESTER, { store: store.ref, microUsd: count % 2 === 0 ? 10_000n : -10_000n, note });
  }
  type Page = { entries: { kind: string; note: string; amount: string }[]; next: string | null };
  const first = (await send('GET', '/statement')).body.data as Page;
  const second = (await send('GET', `/statement?after=${first.next}`)).body.data as Page;
  const all = [...first.entries, ...second.entries];
  expect([first.entries.length, second.entries.length, second.next]).toEqual([50, 10, null]);
  expect(all.map(({ note }) => note)).toEqual(
    Array.from({ length: 60 }, (_none, count) => notes[count % notes.length]).toReversed(),
  );
  expect(all.slice(0, 2)).toMatchObject([
    { kind: 'debit', amount: '0.01' },
    { kind: 'credit', amount: '0.01' },
  ]);
  expect(await send('GET', '/statement?after=x')).toMatchObject({ status: 400 });
});

describe('a top-up from nothing', () => {
  let anvil: Anvil;
  let api: ServerProcess;
  let worker: WorkerProcess | undefined;
  const settings = () => ({
    COUNTERFOIL_RPC_BSC: anvil.url,
    COUNTERFOIL_POLL_MS: '50',
    ...NO_PRICES,
  });
  beforeAll(async () => {
    const timestamp = secondsNow() - 3 * FIRST_BLOCKS;
    anvil = await startAnvil({ chainId: 56, slotsInAnEpoch: 1, timestamp });
    await installCanonicalTokens(anvil);
    await mine(anvil, FIRST_BLOCKS, { secondsBetween: 1 });
    api = await startApi(site.url);
    await setPrices(site.database);
  });
  afterAll(async () => {
    await worker?.stop();
    await api.stop();
    await anvil.stop();
  });

  const create = async () => {
    const response = await fetch(`${api.url}/payment/crypto`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey },
      body: JSON.stringify({ merchant_id: store.merchantId, amount: '50.00' }),
    });
    return response.status;
  };

  async function dieAt(failpoint: string): Promise<void> {
    await killWorkerAt(site.url, failpoint, settings());
    await dropLeases();
  }

  async function payNow(transId: string): Promise<void> {
    await setPrices(site.database);
    const choice = { transId, network: NETWORK, token: 'USDT' };
    await mine(anvil, PRESENT_BLOCKS, { atTime: secondsNow() - PRESENT_BLOCKS, secondsBetween: 1 });
    const quote = await selectWhenOffered({ database: site.as('api'), clock: systemClock }, choice);
    const token = findToken(findNetwork(NETWORK) ?? fail(), 'USDT') ?? fail();
    await payToken(anvil, {
      token: token.contract as `0x${string}`,
      to: quote.toAddress as `0x${string}`,
      units: chainUnits(quote.displayUnits, token),
    });
    await mine(anvil, SETTLING_BLOCKS, { atTime: secondsNow(), secondsBetween: 1 });
  }

  test('402, a top-up paid at the checkout by workers that are killed, and then 200', async () => {
    expect(await create()).toBe(402);
    const asked = await topUp('25');
    expect(asked).toMatchObject({
      status: 200,
      body: { data: { amount: '25.00', state: 'opening', url_payment: null } },
    });
    const code = String(asked.body.data?.['topup']);
    const look = async () => (await send('GET', `/topups/${code}`)).body.data ?? {};
    await dieAt('topup:created');
    worker = await startWorker(site.url, { ...settings(), COUNTERFOIL_FAILPOINT: 'proof:in-commit' });
    const dead = once(worker.child, 'exit');
    await waitUntil(async () => (await look())['state'] === 'open', { what: 'The top-up is not opened.', ...SOON });
    await waitUntil(
      async () =>
        (await site.database.pool.query(`select from chains where network = 'BSC' and head_read_at is not null`))
          .rowCount === 1,
      { what: 'The chain is not read.', ...SOON },
    );
    const transId = String((await look())['url_payment']).replace(`${CHECKOUT_URL}/bill/`, '');
    await payNow(transId);
    expect(await dead).toEqual([null, 'SIGKILL']);
    await dropLeases();
    expect(await look()).toMatchObject({ state: 'open', credited_at: null });
    await dieAt('proof:after-commit');
    expect(await look()).toMatchObject({ state: 'credited' });
    expect((await send('GET', '/balance')).body.data).toMatchObject({ available: '25.00' });
    const { entries } = (await send('GET', '/statement')).body.data as { entries: unknown[] };
    expect(entries[0]).toMatchObject({ kind: 'topup', amount: '25.00', topup: code, note: null });
    expect(await create()).toBe(200);
    expect((await send('GET', '/balance')).body.data).toMatchObject({ available: '24.75', held: '0.25' });
    const { rows } = await site.database.pool.query(
      `select count(*)::integer as invoices, min(completed_url) as back, sum(fee_micro_usd)::integer as fees
       from invoices where store_id = $1`,
      [topupStore.id],
    );
    const back = `${DASHBOARD_URL}/m/${owner.account}/balance/${store.merchantId}`;
    expect(rows).toEqual([{ invoices: 1, back, fees: 0 }]);
    expect(await findLedgerFaults(site.database.queries, 10)).toEqual([]);
  });
});
