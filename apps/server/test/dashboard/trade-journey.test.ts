import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { verifyFile } from '../../rig/exports/make-files.ts';
import type { HttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import { selectWhenOffered } from '../../rig/invoices/select-method.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { giveApp, nextCode } from '../../rig/people/make-person.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startWorker } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { setPrices } from '../../rig/site/market.ts';
import { LIFTED_PLAN, nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { findToken } from '../../src/networks/network.ts';
import { chainUnits } from '../../src/quotes/quote.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';

/** One story from a new store to a checked export, by HTTP alone: all processes, a node that two providers show. */

const NETWORK = 'BSC';
const FIRST_BLOCKS = 40;
const SETTLING_BLOCKS = 30;
/** More blocks than first reads stay behind the head. */
const PRESENT_BLOCKS = 7;
const SOON = { pollMs: 100 };

let site: DashboardSite;
let anvil: Anvil;
let api: ServerProcess;
let worker: WorkerProcess | undefined;
let receiver: HttpReceiver;
let owner: RigMember;
const secondsNow = () => Math.floor(systemClock.nowMs() / 1000);

beforeAll(async () => {
  site = await openDashboardSite(inject('template'), { COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code });
  // The plan of new stores comes with this store, of another merchant.
  await openStore(site.database, { ring: await openKeyRing(site.path) });
  owner = await makeMember(site, 'owner');
  await giveApp(owner.person);
  const { browser, password } = owner.person;
  await browser.send('POST', '/session/step-up', { password, totp: nextCode(owner.person) });
  anvil = await startAnvil({ chainId: 56, slotsInAnEpoch: 1, timestamp: secondsNow() - 3 * FIRST_BLOCKS });
  await installCanonicalTokens(anvil);
  await mine(anvil, FIRST_BLOCKS, { secondsBetween: 1 });
  receiver = await startHttpReceiver();
  api = await startApi(site.url);
});
afterAll(async () => {
  await worker?.stop();
  await api.stop();
  await Promise.all([anvil.stop(), receiver.close()]);
  await site.close();
});

/** Sends a request of the owner that must succeed. */
async function done(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await owner.person.browser.send(method, `/accounts/${owner.account}${path}`, body);
  expect({ method, path, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body.data ?? {};
}

async function createByKey(apiKey: string, merchantId: string, requestId: string): Promise<string> {
  const response = await fetch(`${api.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      merchant_id: merchantId,
      amount: '50.00',
      request_id: requestId,
      callback_url: `http://127.0.0.1:${receiver.port}/paid`,
    }),
  });
  const body = (await response.json()) as { data?: { trans_id: string } };
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body.data?.trans_id ?? '';
}

/** Mines blocks, the first at a time that is not before the head's. */
async function mineFrom(seconds: number, blocks: number): Promise<void> {
  const { timestamp } = await headerAt(anvil, 'latest');
  await mine(anvil, blocks, { atTime: Math.max(seconds, timestamp + 1), secondsBetween: 1 });
}

/** Brings the chain to the present: a network that is behind is not offered. */
const catchUp = () => mineFrom(secondsNow() - PRESENT_BLOCKS, PRESENT_BLOCKS);

/** Pays an invoice on the chain, with as much less as is said. */
async function pay(transId: string, { missingUnits = 0n } = {}): Promise<void> {
  await setPrices(site.database);
  const choice = { transId, network: NETWORK, token: 'USDT' };
  await catchUp();
  const quote = await selectWhenOffered({ database: site.as('api'), clock: systemClock }, choice);
  const token = findToken(findNetwork(NETWORK) ?? fail(), 'USDT') ?? fail();
  const units = chainUnits(quote.displayUnits, token) - missingUnits;
  await payToken(anvil, { token: token.contract as `0x${string}`, to: quote.toAddress as `0x${string}`, units });
  await mineFrom(secondsNow(), SETTLING_BLOCKS);
}

/** A new store with a wallet and some balance; returns its code and the key that its owner copies. */
async function makeStore(): Promise<{ merchantId: string; apiKey: string }> {
  const merchantId = String((await done('POST', '/stores', { name: 'Coffee', mode: 'live' }))['merchant_id']);
  const store = `/stores/${merchantId}`;
  // The receiver of this test has no certificate.
  await done('PATCH', store, { https_callbacks_only: false });
  const wallet = { network: NETWORK, address: nextAddress() };
  expect(await done('POST', `${store}/method-changes`, wallet)).toMatchObject({ change: null });
  const context = { database: site.database, clock: systemClock };
  const ref = await storeForOperator(context, TESTER, merchantId);
  await creditBalance(context, TESTER, { store: ref, microUsd: 5_000_000n, note: 'a first balance' });
  const { api_key: apiKey } = await done('POST', `${store}/key/reveal`, {});
  return { merchantId, apiKey: String(apiKey) };
}

async function startFollowing(): Promise<void> {
  worker = await startWorker(site.url, {
    COUNTERFOIL_KEY_RING_FILE: site.path,
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    COUNTERFOIL_RPC_BSC: `${anvil.url},${anvil.url.replace('127.0.0.1', 'localhost')}`,
    COUNTERFOIL_POLL_MS: '50',
    ...NO_PRICES,
  });
  await waitUntil(
    async () => {
      const read = `select from chains where network = 'BSC' and head_read_at is not null`;
      return (await site.database.pool.query(read)).rowCount === 1;
    },
    { what: 'The chain is not read.', ...SOON },
  );
}

type History = {
  invoice: { status: string; callback_status: string | null };
  transfers: { first_read: { by: string }; proof: { by: string } | null }[];
  events: { event: string }[];
  deliveries: { state: string }[];
  timeline: { kind: string }[];
};
const historyOf = async (transId: string) => (await done('GET', `/invoices/${transId}`)) as History;

async function awaitTold(transId: string): Promise<History> {
  let history = await historyOf(transId);
  await waitUntil(
    async () => {
      history = await historyOf(transId);
      return history.invoice.status === 'completed' && history.invoice.callback_status === 'success';
    },
    { what: 'The invoice is not completed and told.', ...SOON },
  );
  return history;
}

/** Waits for the file of an export and checks it with the program for merchants. */
async function exportAndVerify(kind: string): Promise<string> {
  const code = String((await done('POST', '/exports', { kind }))['export']);
  let found: Record<string, unknown> = {};
  await waitUntil(
    async () => {
      found = await done('GET', `/exports/${code}`);
      return found['state'] === 'done';
    },
    { what: `The export of ${kind} is not done.`, ...SOON },
  );
  const { text } = await owner.person.browser.send('GET', `/accounts/${owner.account}/exports/${code}/file`);
  const verified = await verifyFile(join(site.folder, `${kind}.csv`), text, String(found['sha256']));
  expect(verified).toMatchObject({ code: 0 });
  return text;
}

async function exportUntil(kind: string, isWhole: (text: string) => boolean): Promise<string> {
  let text = '';
  await waitUntil(
    async () => {
      text = await exportAndVerify(kind);
      return isWhole(text);
    },
    { what: `The export of ${kind} is not whole.`, ...SOON },
  );
  return text;
}

test('a store is opened, paid, told again, short money is attached, and all of it is exported and checked', async () => {
  const { merchantId, apiKey } = await makeStore();
  await startFollowing();
  const paid = await createByKey(apiKey, merchantId, 'order-1');
  await pay(paid);
  const history = await awaitTold(paid);
  expect(history.transfers).toHaveLength(1);
  const [transfer] = history.transfers;
  expect(transfer?.proof?.by).toBeDefined();
  expect(transfer?.first_read.by).not.toBe(transfer?.proof?.by);
  expect(history.timeline.length).toBeGreaterThan(5);
  expect(history.deliveries).toMatchObject([{ state: 'delivered' }]);

  const told = receiver.requests.length;
  await done('POST', `/events/${history.events[0]?.event}/redeliver`, {});
  await waitUntil(() => receiver.requests.length > told, { what: 'The event is not told again.', ...SOON });
  expect(receiver.requests.at(-1)?.body).toBe(receiver.requests[0]?.body);

  const short = await createByKey(apiKey, merchantId, 'order-2');
  await pay(short, { missingUnits: 1_000_000_000_000_000_000n });
  type Unmatched = { transfer: string; reason: string; suggestions: { invoice: string }[] }[];
  let unmatched: Unmatched = [];
  await waitUntil(
    async () => {
      ({ transfers: unmatched } = (await done('GET', '/unmatched')) as { transfers: Unmatched });
      return unmatched.length > 0;
    },
    { what: 'The short payment is not listed.', ...SOON },
  );
  expect(unmatched).toMatchObject([{ reason: 'short' }]);
  await done('POST', `/unmatched/${unmatched[0]?.transfer}/attach`, { invoice: short });
  await awaitTold(short);
  expect(await done('GET', '/unmatched')).toMatchObject({ transfers: [] });

  // A file has the rows of whole seconds: the newest invoice may be of the second that has not passed yet.
  const invoices = await exportUntil('invoices', (text) => text.includes(short));
  expect(invoices).toContain(paid);
  for (const kind of ['transfers', 'statement', 'audit']) await exportAndVerify(kind);
});
