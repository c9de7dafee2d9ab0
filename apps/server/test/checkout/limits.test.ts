import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { RESERVED, UNKNOWN_LIMIT, VISITOR_LIMITS } from '../../src/checkout/visitor-limits.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { ask, newInvoice, openApiSite, openStream, postJson, stopClockAt } from '../../rig/site/api-site.ts';

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'), stopClockAt(systemClock.nowMs()));
});
afterAll(() => rig.close());

const from = (address: string) => ({ 'x-forwarded-for': address });

const TOGETHER = 50;

async function statuses(times: number, one: (index: number) => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let done = 0; done < times; done += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, times - done) }, (_, index) => one(done + index));
    for (const response of await Promise.all(some)) {
      all.push(response.status);
      await response.arrayBuffer();
    }
  }
  return all;
}

const count = (all: readonly number[], status: number) => all.filter((one) => one === status).length;
const guess = (index: number) => `/bill/TID-${String(index).padStart(16, '0')}`;

describe('a visitor who guesses codes', () => {
  test('is soon refused further codes, and no invoice: a payer behind the same address is served', async () => {
    const transId = await newInvoice(rig);
    const gateway = from('192.0.2.1');
    const guesses = await statuses(UNKNOWN_LIMIT + 40, (index) => ask(rig, guess(index), { headers: gateway }));
    expect([count(guesses, 404), count(guesses, 429)]).toEqual([UNKNOWN_LIMIT, 40]);
    const refused = await ask(rig, guess(999), { headers: gateway });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    for (const path of ['', '/state'])
      expect((await ask(rig, `/bill/${transId}${path}`, { headers: gateway })).status).toBe(200);
    const selected = await postJson(rig, `/bill/${transId}/select`, { network: 'X', token: 'Y' }, gateway);
    expect(selected.status).toBe(409);
  });

  test('from many networks of a /48 counts as one, and closes the page to nobody', async () => {
    const transId = await newInvoice(rig);
    const guesses = await statuses(UNKNOWN_LIMIT * 16 + 200, (index) =>
      ask(rig, `/bill/x${index}/state`, { headers: from(`2001:db8:1:${index.toString(16)}::1`) }),
    );
    expect([count(guesses, 404), count(guesses, 429)]).toEqual([UNKNOWN_LIMIT * 16, 200]);
    for (const address of ['2001:db8:1:ffff::1', '2001:db8:2::1', '203.0.113.5'])
      expect((await ask(rig, `/bill/${transId}`, { headers: from(address) })).status).toBe(200);
  });
});

/**
 * Number of connections, more than may wait for their turn. They come from the proxy, which may have any number of
 * them.
 */
const CROWD = 3_000;

/** Sends one request over every connection without waiting for answers. */
async function crowd(path: string, address: string): Promise<{ leave(): void }> {
  const { hostname, port } = new URL(rig.server.url);
  const sockets = Array.from({ length: CROWD }, () => net.connect({ host: hostname, port: Number(port) }).resume());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  }
  return { leave: () => sockets.forEach((socket) => socket.destroy()) };
}

test.each([
  ['a code that belongs to no invoice', '192.0.2.31', () => '/bill/nothing'],
  ['one invoice too often', '192.0.2.32', (transId: string) => `/bill/${transId}`],
])('a crowd that asks for %s does not delay a payer', async (_what, address, pathOf) => {
  const [transId, asked] = [await newInvoice(rig), await newInvoice(rig)];
  const strangers = await crowd(pathOf(asked), address);
  const pages = await statuses(20, (index) => ask(rig, `/bill/${transId}`, { headers: from(`203.0.113.${index}`) }));
  strangers.leave();
  expect(count(pages, 200)).toBe(20);
});

describe('strangers with the code of an invoice', () => {
  test('are limited, and a network of one site has a small part beyond that', async () => {
    const transId = await newInvoice(rig);
    const most = {
      select: VISITOR_LIMITS.select.newcomers + RESERVED.select.site,
      check: VISITOR_LIMITS.check.newcomers + RESERVED.check.site,
    };
    const choices = await statuses(most.select + 3, (index) =>
      postJson(rig, `/bill/${transId}/select`, { network: 'X', token: 'Y' }, from(`198.51.100.${index}`)),
    );
    expect([count(choices, 409), count(choices, 429)]).toEqual([most.select, 3]);
    const checks = await statuses(most.check + 3, (index) =>
      postJson(rig, `/bill/${transId}/check`, { tx: 'x' }, from(`198.51.101.${index}`)),
    );
    expect([count(checks, 200), count(checks, 429)]).toEqual([most.check, 3]);
  });

  test('do not use up what its payer may do: page, state, selection, check and stream', async () => {
    const transId = await newInvoice(rig);
    const payer = from('203.0.113.66');
    expect((await ask(rig, `/bill/${transId}`, { headers: payer })).status).toBe(200);
    const streams = await Promise.all(
      Array.from({ length: 25 }, (_, index) => openStream(rig, transId, from(`100.66.0.${index}`))),
    );
    expect(streams.filter(({ status }) => status === 429)).toHaveLength(5);
    const reads = await statuses(VISITOR_LIMITS.read.newcomers + 60, (index) =>
      ask(rig, `/bill/${transId}/state`, { headers: from(`100.64.${index >> 8}.${index & 255}`) }),
    );
    expect(count(reads, 429)).toBeGreaterThan(0);
    const select = (headers: Record<string, string>) =>
      postJson(rig, `/bill/${transId}/select`, { network: 'X', token: 'Y' }, headers);
    const choices = await statuses(60, (index) => select(from(`100.65.0.${index}`)));
    expect(count(choices, 429)).toBeGreaterThan(0);
    const own = await openStream(rig, transId, payer);
    expect(own.status).toBe(200);
    const asked = await Promise.all([
      ask(rig, `/bill/${transId}`, { headers: payer }),
      ask(rig, `/bill/${transId}/state`, { headers: payer }),
      select(payer),
      postJson(rig, `/bill/${transId}/check`, { tx: 'x' }, payer),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 409, 200]);
    for (const stream of [...streams, own]) stream.close();
  });
});

const fresh = (index: number) => from(`2001:db8:${(index >> 12).toString(16)}:${index.toString(16)}::1`);

test('fresh networks with the code of an invoice keep no new customer from its page, its methods and its check', async () => {
  const transId = await newInvoice(rig);
  const { read, select: choices, check } = VISITOR_LIMITS;
  const select = (headers: Record<string, string>) =>
    postJson(rig, `/bill/${transId}/select`, { network: 'X', token: 'Y' }, headers);
  const checked = (headers: Record<string, string>) => postJson(rig, `/bill/${transId}/check`, { tx: 'x' }, headers);
  const reads = await statuses(read.newcomers + 60, (index) => ask(rig, `/bill/${transId}`, { headers: fresh(index) }));
  expect(count(reads, 429)).toBeGreaterThan(0);
  for (const [one, limit] of [
    [select, choices.newcomers],
    [checked, check.newcomers],
  ] as const) {
    const strangers = await statuses(limit + 30, (index) => one(fresh(1_000 + index)));
    expect(count(strangers, 429)).toBeGreaterThan(0);
  }
  for (const customer of [from('203.0.113.88'), from('2001:db9:1::1')]) {
    const [page, state] = [
      await ask(rig, `/bill/${transId}`, { headers: customer }),
      await ask(rig, `/bill/${transId}/state`, { headers: customer }),
    ];
    const [chosen, asked] = [await select(customer), await checked(customer)];
    expect([page, state, chosen, asked].map(({ status }) => status)).toEqual([200, 200, 409, 200]);
  }
});

test('checks of one address are limited, over all invoices', async () => {
  const transIds = await Promise.all(Array.from({ length: 5 }, () => newInvoice(rig)));
  const checks = await statuses(VISITOR_LIMITS.check.address + 4, (index) =>
    postJson(rig, `/bill/${transIds[index % 5]}/check`, { tx: 'x' }, from('203.0.113.9')),
  );
  expect(count(checks, 429)).toBe(4);
});

test('a customer who polls every second for a minute in three tabs, and chooses and checks, is never refused', async () => {
  const transId = await newInvoice(rig);
  const customer = from('203.0.113.77');
  const polls = await statuses(180, () => ask(rig, `/bill/${transId}/state`, { headers: customer }));
  const choices = await statuses(4, () => postJson(rig, `/bill/${transId}/select`, { network: 'X' }, customer));
  const checks = await statuses(3, () => postJson(rig, `/bill/${transId}/check`, { tx: 'x' }, customer));
  expect([...polls, ...choices, ...checks]).not.toContain(429);
});
