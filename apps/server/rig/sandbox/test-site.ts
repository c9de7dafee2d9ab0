import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import type { Template } from '../database/template-database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { openTestDatabase } from '../database/test-database.ts';
import { NO_PRICES } from '../fakes/price-servers.ts';
import type { ServerProcess, WorkerProcess } from '../processes/server-process.ts';
import { startApi, startWorker } from '../processes/server-process.ts';
import { hangLimitMs } from '../processes/hang-limit.ts';
import { holdsInTime, waitUntil } from '../processes/wait-until.ts';
import { setPrices } from '../site/market.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import type { Receiver } from '../webhooks/receiver.ts';
import { startReceiver } from '../webhooks/receiver.ts';

/** A site for test stores: a real API, a real worker and a merchant's receiver of webhooks. */

export type TestSite = TestDatabase & {
  store: TestStore;
  server: ServerProcess;
  worker: () => WorkerProcess;
  receiver: Receiver;
  settings: Record<string, string>;
  close: () => Promise<void>;
};

/** The parts of a test site that a test or a drill asks and checks. */
export type DrilledSite = Pick<TestSite, 'database' | 'store' | 'server' | 'receiver'>;

const TOO_MANY_REQUESTS = 429;
const LONGEST_MS = 120_000;
const LOOK_MS = 100;
const LIMIT_WAIT_MS = 1_000;
const MAX_WAITS = 90;
const READY = { what: 'The sandbox is not read.', pollMs: 50 };

export async function openTestSite(template: Template): Promise<TestSite> {
  const own = await openTestDatabase(template);
  const site = await startTestSite(own);
  const close = async () => {
    await site.close();
    await own.drop();
  };
  return { ...own, ...site, close };
}

/** Starts the processes of a test site on a database that only the sandbox uses. */
export async function startTestSite<Own extends Pick<TestDatabase, 'database' | 'url'>>(
  own: Own,
): Promise<Omit<TestSite, keyof TestDatabase> & Own> {
  const store = await openStore(own.database, { test: true });
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-sandbox-'));
  const keyRingFile = join(folder, 'key-ring.json');
  await writeKeyRing(keyRingFile, store.ring);
  const settings = {
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    ...NO_PRICES,
  };
  await setPrices(own.database);
  const receiver = await startReceiver(() => systemClock.nowMs());
  const server = await startApi(own.url, { COUNTERFOIL_LOG_LEVEL: 'warn' });
  const worker = await startWorker(own.url, settings);
  const isRead = async () => {
    const { rows } = await own.database.pool.query<{ networks: number }>(
      `select count(*)::integer as networks from chains where network like 'sandbox:%'`,
    );
    return (rows[0]?.networks ?? 0) >= 9;
  };
  await waitUntil(isRead, READY);
  return {
    ...own,
    store,
    server,
    worker: () => worker,
    receiver,
    settings,
    close: async () => {
      await worker.stop();
      await server.stop();
      await receiver.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The sandbox API's answer about a test invoice. */
export type Explanation = {
  status: string;
  late: boolean;
  transfers: { transaction_hash: string; in_chain: boolean; pays: boolean; reason?: string }[];
  events: { type: string; delivery: string; attempts: number }[];
  acts: { act: { kind: string }; done?: boolean; note?: string }[];
};

type Answer = { status: number; body: { data?: unknown; error_code?: string } };

/** Sends a request to the sandbox API with a store's API key. */
export async function askSandbox(
  { server }: Pick<TestSite, 'server'>,
  { apiKey }: Pick<TestStore, 'apiKey'>,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Creates an invoice of a test store; its webhooks go to the test site's receiver. */
export async function createTestInvoice(site: DrilledSite, amount: string, store = site.store): Promise<string> {
  // Prices are stored again for every invoice: they expire after half a minute, and a test site has no worker to
  // refresh them.
  await setPrices(site.database);
  const fields = { merchant_id: store.merchantId, amount, callback_url: `${site.receiver.url}/${store.merchantId}` };
  site.receiver.secrets.set(store.merchantId, store.webhookSecret);
  const { body } = await askSandbox(site, store, '/payment/crypto', fields);
  const data = body.data as { trans_id: string } | undefined;
  if (!data) throw new Error(`Not created: ${JSON.stringify(body)}`);
  return data.trans_id;
}

/** Chooses a payment method on the invoice's page, as a payer does. */
export async function chooseMethod(
  { server }: Pick<TestSite, 'server'>,
  transId: string,
  method = { network: 'sandbox:BSC', token: 'USDT' },
): Promise<Response> {
  return fetch(`${server.url}/bill/${transId}/select`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(method),
  });
}

/** Requests an action on an invoice by the sandbox API; throws on refusal. */
export async function act(site: DrilledSite, transId: string, what: string, body: unknown = {}, store = site.store) {
  const ask = () => askSandbox(site, store, `/sandbox/invoices/${transId}/${what}`, body);
  let answer = await ask();
  // A drill may exceed the store's rate limit per minute: then the request waits and is sent again.
  for (let tries = 0; answer.status === TOO_MANY_REQUESTS && tries < MAX_WAITS; tries += 1) {
    await wait(LIMIT_WAIT_MS);
    answer = await ask();
  }
  if (answer.status !== 200) throw new Error(`${what} was refused: ${JSON.stringify(answer.body)}`);
}

/** The sandbox API's present answer about an invoice; undefined when the API refused for too many requests. */
async function explain(site: DrilledSite, transId: string, store: TestStore): Promise<Explanation | undefined> {
  const { status, body } = await askSandbox(site, store, `/sandbox/invoices/${transId}`);
  if (status === TOO_MANY_REQUESTS) return undefined;
  if (!body.data) throw new Error(`Not explained: ${JSON.stringify(body)}`);
  return body.data as Explanation;
}

/** Waits until the sandbox API's answer about an invoice satisfies a condition, and returns the answer. */
export async function untilExplained(
  site: DrilledSite,
  transId: string,
  isThere: (explanation: Explanation) => boolean,
  store = site.store,
): Promise<Explanation> {
  let last: Explanation | undefined;
  const isReached = async () => {
    last = (await explain(site, transId, store)) ?? last;
    return last !== undefined && isThere(last);
  };
  await holdsInTime(isReached, { timeoutMs: hangLimitMs(LONGEST_MS), pause: () => wait(LOOK_MS) });
  if (last && isThere(last)) return last;
  throw new Error(`The invoice did not come so far: ${JSON.stringify(last)}`);
}
