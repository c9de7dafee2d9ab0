import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { cutOffDatabase } from '../../apps/server/rig/database/cut-off-database.ts';
import type { TestDatabase } from '../../apps/server/rig/database/test-database.ts';
import { openTestDatabase } from '../../apps/server/rig/database/test-database.ts';
import { freePort, LOOPBACK } from '../../apps/server/rig/fakes/listen.ts';
import type { Caddy } from '../../apps/server/rig/processes/caddy.ts';
import { startCaddy, TLS_HOSTS } from '../../apps/server/rig/processes/caddy.ts';
import { countAnswers } from '../../apps/server/rig/processes/count-answers.ts';
import type { ServerProcess } from '../../apps/server/rig/processes/server-process.ts';
import { startApi } from '../../apps/server/rig/processes/server-process.ts';
import { waitUntil } from '../../apps/server/rig/processes/wait-until.ts';
import type { SecureCaller } from '../../apps/server/rig/requests/secure-caller.ts';
import { openSecureCaller } from '../../apps/server/rig/requests/secure-caller.ts';
import { browse, createByRequestId, startTraffic } from '../../apps/server/rig/requests/steady-traffic.ts';
import type { TestStore } from '../../apps/server/rig/stores/open-store.ts';
import { openStore } from '../../apps/server/rig/stores/open-store.ts';
import { steadyClock } from '../../apps/server/src/lib/clock.ts';

/** Two APIs behind Caddy, as the guide installs them: a rolling restart, and a database that goes away. */

/** Longer than the usual 5 s: Caddy checks every second, but on a busy machine one check can be several seconds late. */
const DRAIN_MS = 15_000;
const CLIENTS = 4;
const PAUSE_MS = 20;
const POLL_MS = 50;
/** Number of health checks after which each of Caddy's four sites has checked an API twice. */
const ROUNDS = 2 * 4;

let own: TestDatabase;
let caddy: Caddy;
let ports: number[];
let apis: ServerProcess[];
let [api, checkout]: SecureCaller[] = [];
let store: TestStore;

function start(port: number): Promise<ServerProcess> {
  return startApi(own.url, {
    COUNTERFOIL_ENVIRONMENT: 'production',
    COUNTERFOIL_TRUSTED_PROXIES: `${LOOPBACK}/32`,
    COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl,
    COUNTERFOIL_DRAIN_SECONDS: String(DRAIN_MS / 1_000),
    COUNTERFOIL_PORT: String(port),
  });
}

beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  ports = [await freePort(), await freePort()];
  const upstreams = ports.map((port) => `${LOOPBACK}:${port}`).join(' ');
  caddy = await startCaddy({ api: upstreams, dashboard: upstreams });
  apis = await Promise.all(ports.map(start));
  await caddy.untilReached(['api', 'checkout']);
  [api, checkout] = [openSecureCaller(caddy, TLS_HOSTS.api), openSecureCaller(caddy, TLS_HOSTS.checkout)];
});
afterAll(async () => {
  api?.close();
  checkout?.close();
  for (const server of apis ?? []) server.child.kill('SIGKILL');
  await caddy?.stop();
  await own?.drop();
});

function callers(): { api: SecureCaller; checkout: SecureCaller } {
  if (!api || !checkout) throw new Error('Nothing can be asked.');
  return { api, checkout };
}

const untilServing = (server: ServerProcess) =>
  waitUntil(async () => (await countAnswers(server, 'POST', '/payment/crypto')) > 0, {
    what: 'An API gets no requests.',
    pollMs: POLL_MS,
  });
const isUnready = async ({ operationsUrl }: ServerProcess) => (await fetch(`${operationsUrl}/readyz`)).status === 503;
const countProbes = () => Promise.all(apis.map((one) => countAnswers(one, 'GET', '/readyz')));

test('no request fails during a rolling restart of two APIs', async () => {
  const merchant = { ...callers(), store };
  const traffic = startTraffic({
    name: 'rolling',
    clients: CLIENTS,
    pauseMs: PAUSE_MS,
    live: (send, requestId) => browse(merchant, send, requestId),
  });
  for (const [place, port] of ports.entries()) {
    const before = apis[place] as ServerProcess;
    await untilServing(before);
    const ended = once(before.child, 'exit');
    const stoppedAtMs = steadyClock.nowMs();
    before.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(steadyClock.nowMs() - stoppedAtMs).toBeGreaterThanOrEqual(DRAIN_MS - 1);
    const after = await start(port);
    apis[place] = after;
    await untilServing(after);
  }
  await traffic.stop();
  expect(traffic.sent.filter(({ status }) => status !== 200)).toEqual([]);
  for (const method of ['POST', 'GET']) expect(traffic.sent.some((one) => one.method === method)).toBe(true);
});

test('a database fault removes no API: responses come from the API and not from the proxy', async () => {
  const letIn = await cutOffDatabase(inject('adminUrl'), own.url);
  await waitUntil(async () => (await Promise.all(apis.map(isUnready))).every(Boolean), {
    what: 'An API is ready without a database.',
    pollMs: POLL_MS,
  });
  const before = await countProbes();
  await waitUntil(async () => (await countProbes()).every((count, place) => count > (before[place] ?? 0) + ROUNDS), {
    what: 'Caddy does not ask.',
    pollMs: POLL_MS,
  });
  const created = await createByRequestId({ ...callers(), store }, 'nowhere');
  expect([created.status, JSON.parse(created.text)]).toEqual([
    500,
    expect.objectContaining({ error_code: 'AUTHENTICATION_FAILED' }),
  ]);
  const page = await callers().checkout.ask({ path: '/bill/TID-A' });
  expect(page.text).not.toContain('Not available at the moment');
  await letIn();
});
