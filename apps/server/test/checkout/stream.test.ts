import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startApi } from '../../rig/processes/server-process.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { setPrices } from '../../rig/site/market.ts';
import { ask, newInvoice, openApiSite, openStream, postJson } from '../../rig/site/api-site.ts';

/** Streams of a real process over real sockets. */

const WITHIN = { timeout: 60_000, interval: 20 };
const USDT = { network: 'BSC', token: 'USDT' };

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'), { COUNTERFOIL_CHECKOUT_VIEWERS: '30' });
});
afterAll(() => rig.close());

async function complete(transId: string): Promise<void> {
  await rig.database.pool.query(
    `with changed as (update invoices set status = 'completed', transaction_hash = 'x', from_address = 'y'
       where trans_id = $1 returning id)
     insert into invoice_changes (invoice_id) select id from changed`,
    [transId],
  );
}

const steps = (stream: Awaited<ReturnType<typeof openStream>>) => stream.views().map(({ step }) => step);

test('a viewer who reconnects gets the whole state, whatever they missed', async () => {
  const transId = await newInvoice(rig);
  const first = await openStream(rig, transId);
  await expect.poll(() => steps(first), WITHIN).toEqual(['choose']);
  first.close();
  await setPrices(rig.database);
  await postJson(rig, `/bill/${transId}/select`, USDT);
  const second = await openStream(rig, transId, { 'last-event-id': first.events[0]?.id ?? '' });
  await expect.poll(() => steps(second), WITHIN).toEqual(['pay']);
  second.close();
});

test('an unchanged state has an unchanged id', async () => {
  const transId = await newInvoice(rig);
  const [first, second] = [await openStream(rig, transId), await openStream(rig, transId)];
  await expect.poll(() => second.events.length, WITHIN).toBeGreaterThan(0);
  expect(first.events[0]?.id).toBe(second.events[0]?.id);
  await complete(transId);
  await expect.poll(() => [steps(first).at(-1), steps(second).at(-1)], WITHIN).toEqual(['paid', 'paid']);
  for (const stream of [first, second]) stream.close();
});

test('a viewer who has seen the payment is told not to reconnect; one who has not gets it', async () => {
  const transId = await newInvoice(rig);
  await complete(transId);
  const first = await openStream(rig, transId);
  await expect.poll(() => steps(first), WITHIN).toEqual(['paid']);
  const again = await ask(rig, `/bill/${transId}/events`, { headers: { 'last-event-id': first.events[0]?.id ?? '' } });
  expect(again.status).toBe(204);
  const other = await openStream(rig, transId, { 'last-event-id': 'something else' });
  await expect.poll(() => steps(other), WITHIN).toEqual(['paid']);
  for (const stream of [first, other]) stream.close();
});

describe('bounds', () => {
  test('viewers of one invoice, then of the process, are refused with a time to come back; a gauge counts them', async () => {
    const [one, other] = [await newInvoice(rig), await newInvoice(rig)];
    const gauge = async () => {
      const text = await (await fetch(`${rig.server.operationsUrl}/metrics`)).text();
      return Number(/^counterfoil_checkout_viewers (\d+)/m.exec(text)?.[1]);
    };
    await expect.poll(gauge, WITHIN).toBe(0);
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(rig, one)));
    expect((await ask(rig, `/bill/${one}/events`)).status).toBe(429);
    streams.push(...(await Promise.all(Array.from({ length: 10 }, () => openStream(rig, other)))));
    const full = await ask(rig, `/bill/${other}/events`);
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await gauge()).toBe(30);
    for (const stream of streams) stream.close();
    await expect.poll(gauge, WITHIN).toBe(0);
  });
});

test('a viewer that does not read costs a bounded buffer and holds up nobody', async () => {
  const transId = await newInvoice(rig, { description: 'x'.repeat(1_000) });
  const { hostname, port } = new URL(rig.server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET /bill/${transId}/events HTTP/1.1\r\nhost: x\r\n\r\n`);
  const reader = await openStream(rig, transId);
  await setPrices(rig.database);
  for (let round = 0; round < 4; round += 1) {
    await postJson(rig, `/bill/${transId}/select`, { ...USDT, token: round % 2 === 0 ? 'USDT' : 'USDC' });
    await expect.poll(() => reader.views().length, WITHIN).toBe(round + 2);
  }
  socket.destroy();
  reader.close();
});

test('SIGTERM ends the process before its time limit, streams and all, and clients see an end', async () => {
  const server = await startApi(rig.url);
  const own = { ...rig, server };
  const transId = await newInvoice(own);
  const streams = await Promise.all(Array.from({ length: 10 }, () => openStream(own, transId)));
  const code = await server.stop();
  await Promise.all(streams.map((stream) => stream.ended));
  expect(code).toBe(0);
  expect(server.output()).not.toContain('stopping took too long');
});
