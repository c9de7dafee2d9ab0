import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { TLS_HOSTS } from '../../apps/server/rig/processes/caddy.ts';
import { waitUntil } from '../../apps/server/rig/processes/wait-until.ts';
import type { SecuredSite } from '../../apps/server/rig/site/secured-site.ts';
import { openSecuredSite } from '../../apps/server/rig/site/secured-site.ts';
import type { Order } from './create-order.ts';
import { countViewers, createOrder } from './create-order.ts';
import type { Answer, Call, EventReader } from './secure-call.ts';
import { call, openEvents, openEventsOverHttp2 } from './secure-call.ts';

/** What is reachable from outside, and which headers the processes trust. */

let site: SecuredSite;
let invoice: Order;
/** Opened first and looked at last: a time limit of the proxy would have ended it. */
let lasting: EventReader;
beforeAll(async () => {
  site = await openSecuredSite(inject('template'));
  invoice = await createOrder(site);
  lasting = await openEvents(`${invoice.url}/events`, { ca: site.caddy.rootCertificate });
});
afterAll(async () => {
  lasting?.close();
  await site?.close();
});

const over = (url: string, more: Call = {}) => call(url, { ca: site.caddy.rootCertificate, ...more });
const plain = (host: string, path = '/') => `http://${host}:${site.caddy.httpPort}${path}`;
const errorOf = ({ text }: Answer) => (JSON.parse(text) as { error_code?: string }).error_code;

const STRANGER = '127.0.0.2';
const FORGED = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https', forwarded: 'for=198.51.100.7' };
const remaining = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);
/** Keeps the open rate windows open, because their start lies in the future. */
const holdWindows = () =>
  site.database.pool.query(`update admissions set burst_started_at = now() + interval '1 hour'`);

describe('plain HTTP', () => {
  test('is refused by the API itself, whoever sends it, and never redirected', async () => {
    const direct = await call(`${site.api.url}/invoice/TID-A`, { headers: { 'x-api-key': site.store.apiKey } });
    expect([direct.status, errorOf(direct)]).toEqual([403, 'HTTPS_REQUIRED']);
    const proxied = await call(plain(TLS_HOSTS.api, '/invoice/TID-A'), {
      headers: { 'x-api-key': site.store.apiKey, ...FORGED },
    });
    expect([proxied.status, errorOf(proxied)]).toEqual([403, 'HTTPS_REQUIRED']);
    expect(proxied.headers.location).toBeUndefined();
  });

  test.each(['checkout', 'dashboard'] as const)(
    'is redirected for pages of the %s, and for nothing else',
    async (name) => {
      const host = TLS_HOSTS[name];
      const page = await call(plain(host, '/bill/TID-A?lang=es'));
      const wanted = `https://${host}:${site.caddy.httpsPort}/bill/TID-A?lang=es`;
      expect([page.status, page.headers.location]).toEqual([308, wanted]);
      const form = await call(plain(host, '/bill/TID-A/select'), { method: 'POST', body: 'network=BSC' });
      expect([form.status, form.headers.location]).toEqual([403, undefined]);
    },
  );

  test('is not redirected with an API key, whatever the host', async () => {
    const answer = await call(plain(TLS_HOSTS.checkout, '/invoice/TID-A'), {
      headers: { 'x-api-key': site.store.apiKey },
    });
    expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
  });

  test('to a name that is not ours answers nothing', async () => {
    expect(await call(plain('127.0.0.1'))).toMatchObject({ status: 421, text: '' });
  });
});

describe('a client that forges who it is', () => {
  test('is limited under its own address through the proxy', async () => {
    const unknown = `${site.caddy.apiUrl}/nowhere`;
    const first = await over(unknown, { from: STRANGER });
    await holdWindows();
    const forged = await over(unknown, { from: STRANGER, headers: FORGED });
    const other = await over(unknown, { from: '127.0.0.3', headers: { ...FORGED, 'x-forwarded-for': STRANGER } });
    expect(first.status).toBe(404);
    expect(remaining(forged)).toBe(remaining(first) - 1);
    expect(remaining(other)).toBe(remaining(first));
  });

  test('is believed neither https nor an address when it calls a process directly and is no trusted proxy', async () => {
    const url = `${site.api.url}/nowhere`;
    const first = await call(url, { from: '127.0.0.4', headers: FORGED });
    await holdWindows();
    const second = await call(url, { from: '127.0.0.4', headers: { ...FORGED, 'x-forwarded-for': '198.51.100.8' } });
    expect([first.status, errorOf(first)]).toEqual([403, 'HTTPS_REQUIRED']);
    expect(remaining(second)).toBe(remaining(first) - 1);
    const dashboard = await call(`${site.dashboard.url}/api/dashboard/session`, { from: '127.0.0.4', headers: FORGED });
    expect([dashboard.status, errorOf(dashboard)]).toEqual([403, 'FOREIGN_REQUEST']);
  });
});

describe('HTTPS', () => {
  test.each(Object.keys(TLS_HOSTS) as (keyof typeof TLS_HOSTS)[])(
    'of the %s demands HTTPS from now on, and says so once',
    async (name) => {
      const { headers } = await over(`https://${TLS_HOSTS[name]}:${site.caddy.httpsPort}/`);
      expect(headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains');
      expect(headers.server).toBeUndefined();
    },
  );

  test.each(Object.keys(TLS_HOSTS) as (keyof typeof TLS_HOSTS)[])(
    'of the %s does not lead to the operations port',
    async (name) => {
      const { status, text } = await over(`https://${TLS_HOSTS[name]}:${site.caddy.httpsPort}/metrics`);
      expect(status).toBe(404);
      expect(text).not.toContain('counterfoil_');
    },
  );

  test.each([17_000, 900_000])(
    'refuses a body of %i bytes in the words of the API, announced or not',
    async (bytes) => {
      const asked = {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': site.store.apiKey },
        body: JSON.stringify({ name: 'x'.repeat(bytes) }),
      };
      const announced = await over(`${site.caddy.apiUrl}/payment/crypto`, asked);
      expect([announced.status, errorOf(announced)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      const chunked = { ...asked, headers: { ...asked.headers, 'transfer-encoding': 'chunked' } };
      const unannounced = await over(`${site.caddy.apiUrl}/payment/crypto`, chunked);
      expect([unannounced.status, errorOf(unannounced)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    },
  );

  test('refuses a body that is announced to be far too large before it is sent', async () => {
    for (const { url, says } of [
      { url: `${site.caddy.apiUrl}/payment/crypto`, says: 'PAYLOAD_TOO_LARGE' },
      { url: `${site.caddy.dashboardUrl}/api/dashboard/session`, says: 'Payload too large' },
    ]) {
      const answer = await over(url, { method: 'POST', headers: { 'content-length': '5000000' } });
      expect(answer.status).toBe(413);
      expect(answer.text).toContain(says);
    }
  });

  test('compresses what a page reads, and not its streams', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const state = await over(`${invoice.url}/state`, { headers });
    expect(state.headers['content-encoding']).toBe('gzip');
    const page = await over(invoice.url, { headers });
    expect(page.headers['content-encoding']).toBe('gzip');
  });
});

const OPENED = { what: 'The stream does not begin.', timeoutMs: 60_000, pollMs: 20 };

const viewsOf = ({ arrivals }: EventReader) => arrivals.filter(({ event }) => event === 'view');

describe('a stream through the proxy', () => {
  test.each(['h2', 'http/1.1'])(
    'over %s is open at the server, and has the events of a direct stream',
    async (protocol) => {
      const before = await countViewers(site);
      const { transId, url } = await createOrder(site);
      const direct = await openEvents(`${site.api.url}/bill/${transId}/events`, { headers: FORGED });
      const ca = site.caddy.rootCertificate;
      const proxied = await (protocol === 'h2'
        ? openEventsOverHttp2(`${url}/events`, ca)
        : openEvents(`${url}/events`, { ca }));
      try {
        expect(proxied.protocol).toBe(protocol);
        const streams = [direct, proxied];
        await waitUntil(() => streams.every((stream) => viewsOf(stream).length > 0), OPENED);
        expect(await countViewers(site)).toBe(before + streams.length);
        await over(`${url}/select`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ network: 'BSC', token: 'USDT' }),
        });
        await waitUntil(() => streams.every((stream) => viewsOf(stream).length > 1), OPENED);
        const [at, through] = streams.map((stream) => viewsOf(stream)[1]);
        if (!at || !through) throw new Error('There is no second event.');
        expect(through.id).toBe(at.id);
        expect(proxied.isOver()).toBe(false);
      } finally {
        direct.close();
        proxied.close();
      }
      await waitUntil(async () => (await countViewers(site)) === before, {
        ...OPENED,
        what: 'The server keeps a closed stream.',
      });
    },
  );

  test('lasts over heartbeats of the server: no time limit of the proxy ends it', async () => {
    const beats = () => lasting.arrivals.filter(({ event }) => event === 'beat').length;
    await waitUntil(() => beats() > 0 || lasting.isOver(), {
      what: 'No heartbeat came.',
      timeoutMs: 60_000,
      pollMs: 50,
    });
    expect(lasting.isOver()).toBe(false);
  });
});

test('while the API is away the proxy answers in the form of the API, and logs no key', async () => {
  await site.api.stop();
  const [answer, page] = await Promise.all([
    over(`${site.caddy.apiUrl}/invoice/TID-A`, { headers: { 'x-api-key': site.store.apiKey } }),
    over(invoice.url),
  ]);
  expect([answer.status, errorOf(answer)]).toEqual([503, 'INTERNAL_ERROR']);
  expect(answer.headers['strict-transport-security']).toContain('max-age');
  expect(page.status).toBe(503);
  const logged = { what: 'Caddy does not say why.', timeoutMs: 60_000, pollMs: 20 };
  await waitUntil(() => /connection refused|no upstreams available/.test(site.caddy.output()), logged);
  expect(site.caddy.output()).not.toContain(site.store.apiKey);
  expect(site.caddy.output()).not.toContain(invoice.transId);
  // Requests of the tests before were answered: Caddy calls each that it passes on a round trip.
  expect(site.caddy.output()).not.toContain('roundtrip');
});
