import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { drawResetToken, enter, makePerson } from '../../rig/people/make-person.ts';
import { toDashboardError } from '../../src/dashboard/dashboard-answers.ts';
import type { DashboardContext } from '../../src/dashboard/dashboard-context.ts';
import { createRequestLanes } from '../../src/dashboard/request-lanes.ts';
import type { DashboardRoute } from '../../src/dashboard/route.ts';
import { personRoute, registerRoutes, visitorRoute } from '../../src/dashboard/route.ts';
import { linkBody } from '../../src/dashboard/link-field.ts';
import { readBodies } from '../../src/http/read-bodies.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { drawLinkToken } from '../../src/people/person.ts';

/** One user or one address does not keep the dashboard's server from others. Gates keep requests open, not time. */

let site: DashboardSite;
let one: RigPerson;
let other: RigPerson;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  one = await makePerson(site);
  other = await makePerson(site);
  for (const person of [one, other]) await enter(site, person);
});
afterAll(() => site.close());

const AT_ONCE = 4;
const WAITING = 32;
const ADDRESS = '198.51.100.20';

type Gate = { started: number; open: () => void; pass: () => Promise<void> };

function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gate: Gate = {
    started: 0,
    open: resolve,
    pass: async () => {
      gate.started += 1;
      await promise;
    },
  };
  return gate;
}

type Sent = { status: number; body: Record<string, unknown> };
type Served = {
  app: FastifyInstance;
  /** Sends a request and keeps its status once it is answered. */
  send: (path: string, from: { person?: RigPerson; address?: string; body?: unknown }) => Promise<Sent>;
  answered: number[];
};

async function serve(routes: readonly DashboardRoute[]): Promise<Served> {
  const app = fastify({ trustProxy: true });
  readBodies(app);
  app.setErrorHandler((cause, _request, reply) => {
    const { status, code, details } = toDashboardError(cause);
    return reply.status(status).send({ code, details });
  });
  const { database, dashboardUrl } = site;
  const context = { database, views: database, clock: systemClock, dashboardUrl } as DashboardContext;
  registerRoutes(app, context, routes, createRequestLanes());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const answered: number[] = [];
  const send: Served['send'] = async (path, { person, address = ADDRESS, body }) => {
    const headers = { 'x-forwarded-for': address, ...(person && { cookie: person.browser.cookie }) };
    const posted = { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, {
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && posted),
    });
    answered.push(response.status);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { app, send, answered };
}

const countOf = (statuses: readonly number[], status: number) => statuses.filter((it) => it === status).length;
const times = <Value>(length: number, make: () => Value) => Array.from({ length }, make);

test('a user with a hundred open requests has four at once and a short queue, and a colleague at the same address is answered', async () => {
  const gate = createGate();
  const { app, send, answered } = await serve([
    personRoute({ method: 'GET', url: '/gated', summary: 'Gated' }, gate.pass),
    personRoute({ method: 'GET', url: '/plain', summary: 'Plain' }, async () => ({})),
  ]);
  const sent = times(100, () => send('/gated', { person: one }));
  await expect.poll(() => answered.length).toBe(100 - AT_ONCE - WAITING);
  await expect.poll(() => gate.started).toBe(AT_ONCE);
  expect(await send('/plain', { person: other })).toMatchObject({ status: 200 });
  expect(await send('/plain', { person: one })).toEqual({
    status: 429,
    body: { code: 'TOO_MANY_REQUESTS', details: { retry_after_seconds: 1 } },
  });
  expect(gate.started).toBe(AT_ONCE);
  gate.open();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(countOf(statuses, 200)).toBe(AT_ONCE + WAITING);
  expect(countOf(statuses, 429)).toBe(100 - AT_ONCE - WAITING);
  expect(await send('/plain', { person: one })).toMatchObject({ status: 200 });
  await app.close();
});

test('a request that waited in its lane is refused when its session ended meanwhile', async () => {
  const gate = createGate();
  const leaver = await makePerson(site);
  await enter(site, leaver);
  let plain = 0;
  const { app, send, answered } = await serve([
    personRoute({ method: 'GET', url: '/gated', summary: 'Gated' }, gate.pass),
    personRoute({ method: 'GET', url: '/plain', summary: 'Plain' }, async () => {
      plain += 1;
    }),
  ]);
  const running = times(AT_ONCE, () => send('/gated', { person: leaver }));
  await expect.poll(() => gate.started).toBe(AT_ONCE);
  const waiting = times(WAITING + 1, () => send('/plain', { person: leaver }));
  await expect.poll(() => answered).toEqual([429]);
  await site.database.pool.query(
    'update sessions set revoked_at = now() where person_id = (select id from people where code = $1)',
    [leaver.code],
  );
  gate.open();
  expect(
    countOf(
      (await Promise.all(running)).map(({ status }) => status),
      200,
    ),
  ).toBe(AT_ONCE);
  expect(
    countOf(
      (await Promise.all(waiting)).map(({ status }) => status),
      401,
    ),
  ).toBe(WAITING);
  expect(plain).toBe(0);
  await app.close();
});

test('visitors at one address have four requests at once, also from several addresses of one IPv6 network', async () => {
  const gate = createGate();
  const { app, send, answered } = await serve([
    visitorRoute({ method: 'GET', url: '/gated', summary: 'Gated' }, gate.pass),
    visitorRoute({ method: 'GET', url: '/plain', summary: 'Plain' }, async () => ({})),
    personRoute({ method: 'GET', url: '/person', summary: 'Person' }, async () => ({})),
  ]);
  let host = 0;
  const sent = times(50, () => send('/gated', { address: `2001:db8:1:2::${(host += 1)}` }));
  await expect.poll(() => answered.length).toBe(50 - AT_ONCE - WAITING);
  expect(gate.started).toBe(AT_ONCE);
  expect(await send('/plain', { address: '2001:db8:1:2::ffff' })).toMatchObject({ status: 429 });
  expect(await send('/plain', { address: '2001:db8:1:3::1' })).toMatchObject({ status: 200 });
  expect(await send('/person', { address: '2001:db8:1:2::ffff', person: one })).toMatchObject({ status: 200 });
  gate.open();
  expect(
    countOf(
      (await Promise.all(sent)).map(({ status }) => status),
      200,
    ),
  ).toBe(AT_ONCE + WAITING);
  await app.close();
});

test('visitors of all addresses together have a bounded number of requests at once, and networks take turns', async () => {
  const [atOnce, waiting, crowd] = [32, 256, 300];
  const gate = createGate();
  const order: string[] = [];
  const { app, send, answered } = await serve([
    visitorRoute({ method: 'GET', url: '/gated', summary: 'Gated' }, async ({ visitor }) => {
      order.push(visitor.address);
      await gate.pass();
    }),
    personRoute({ method: 'GET', url: '/person', summary: 'Person' }, async () => ({})),
  ]);
  let network = 0;
  const sent = times(crowd, () => send('/gated', { address: `2001:db8:1:${(network += 1).toString(16)}::1` }));
  await expect.poll(() => answered.length).toBe(crowd - atOnce - waiting);
  expect(gate.started).toBe(atOnce);
  const newcomer = send('/gated', { address: '203.0.113.9' });
  await expect.poll(() => answered.length).toBe(crowd - atOnce - waiting + 1);
  expect(countOf(answered, 429)).toBe(answered.length);
  expect(await send('/person', { person: one })).toMatchObject({ status: 200 });
  gate.open();
  expect(await newcomer).toMatchObject({ status: 200 });
  await Promise.all(sent);
  expect(order[atOnce]).toBe('203.0.113.9');
  expect(order).toHaveLength(atOnce + waiting);
  await app.close();
});

test('a link that exists is admitted while other requests from its address fill their places, and an unknown one is not', async () => {
  const gate = createGate();
  let followed = 0;
  const { app, send, answered } = await serve([
    visitorRoute({ method: 'GET', url: '/gated', summary: 'Gated' }, gate.pass),
    visitorRoute({ method: 'POST', url: '/linked', summary: 'Linked', body: linkBody, byLink: true }, async () => {
      followed += 1;
    }),
  ]);
  const sent = times(AT_ONCE + WAITING + 1, () => send('/gated', {}));
  await expect.poll(() => answered.length).toBe(1);
  expect(await send('/linked', { body: { token: drawLinkToken() } })).toMatchObject({ status: 429 });
  expect(await send('/linked', { body: { token: await drawResetToken(site, one.code) } })).toMatchObject({
    status: 200,
  });
  expect(followed).toBe(1);
  gate.open();
  await Promise.all(sent);
  await app.close();
});

test('requests with one link are bounded', async () => {
  const gate = createGate();
  const { app, send, answered } = await serve([
    visitorRoute({ method: 'POST', url: '/linked', summary: 'Linked', body: linkBody, byLink: true }, gate.pass),
  ]);
  const token = await drawResetToken(site, one.code);
  const sent = times(20, () => send('/linked', { body: { token } }));
  await expect.poll(() => answered.length).toBe(15);
  expect(gate.started).toBe(1);
  gate.open();
  expect(
    countOf(
      (await Promise.all(sent)).map(({ status }) => status),
      200,
    ),
  ).toBe(5);
  await app.close();
});

test('a link is followed from an address that has used up its requests of a minute', async () => {
  const address = '198.51.100.77';
  const { code } = await makePerson(site);
  const token = await drawResetToken(site, code);
  const browser = openBrowser(site, address);
  const seen = new Set<number>();
  while (!seen.has(429)) {
    const answers = await Promise.all(times(100, () => browser.send('GET', '/me')));
    for (const { status } of answers) seen.add(status);
  }
  expect([...seen]).toEqual([401, 429]);
  expect(await browser.send('POST', '/keep-factors', { token: drawLinkToken() })).toMatchObject({ status: 400 });
  expect(await browser.send('POST', '/reset', { token, password: 'a new and long word' })).toMatchObject({
    status: 200,
  });
});

test('downloads are counted apart, until their connection is closed', async () => {
  const gate = createGate();
  const { app, send } = await serve([
    personRoute({ method: 'GET', url: '/held', summary: 'Held', raw: true, held: 'download' }, async () => {
      const body = new PassThrough();
      body.write('{');
      void gate.pass().then(() => body.end('}'));
      return body;
    }),
    personRoute({ method: 'GET', url: '/plain', summary: 'Plain' }, async () => ({})),
  ]);
  const held = times(AT_ONCE, () => send('/held', { person: one }));
  await expect.poll(() => gate.started).toBe(AT_ONCE);
  expect(await send('/held', { person: one })).toMatchObject({ status: 429 });
  expect(await send('/plain', { person: one })).toMatchObject({ status: 200 });
  const others = send('/held', { person: other });
  await expect.poll(() => gate.started).toBe(AT_ONCE + 1);
  gate.open();
  expect((await Promise.all([...held, others])).map(({ status }) => status)).toEqual(times(AT_ONCE + 1, () => 200));
  await expect.poll(async () => (await send('/held', { person: one })).status).toBe(200);
  await app.close();
});

test('no request of a flood ends in a server error, and the refused ones say when to retry', async () => {
  const flood = await Promise.all(times(300, () => one.browser.send('GET', '/me')));
  const statuses = flood.map(({ status }) => status);
  expect(countOf(statuses, 200) + countOf(statuses, 429)).toBe(300);
  const refused = flood.filter(({ status }) => status === 429);
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '1'));
  expect(await other.browser.send('GET', '/me')).toMatchObject({ status: 200 });
});
