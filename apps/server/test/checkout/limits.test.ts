import { afterAll, beforeAll, expect, test } from 'vitest';
import { VISITOR_LIMITS } from '../../src/checkout/visitor-limits.ts';
import type { Rig } from './page-rig.ts';
import { ask, newInvoice, openRig, postJson } from './page-rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const from = (address: string) => ({ 'x-forwarded-for': address });

async function statuses(times: number, one: (index: number) => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < times; index += 1) all.push((await one(index)).status);
  return all;
}

const count = (all: readonly number[], status: number) => all.filter((one) => one === status).length;

test('whoever guesses codes is soon refused everything, known or not; others are not', async () => {
  const transId = await newInvoice(rig);
  const most = VISITOR_LIMITS.unknown.address;
  const guesses = await statuses(most + 10, (index) =>
    ask(rig, `/bill/TID-${String(index).padStart(16, '0')}`, { headers: from('192.0.2.1') }),
  );
  expect([count(guesses, 404), count(guesses, 429)]).toEqual([most, 10]);
  const refused = await ask(rig, `/bill/${transId}`, { headers: from('192.0.2.1') });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await ask(rig, `/bill/${transId}`, { headers: from('192.0.2.2') })).status).toBe(200);
});

test('malformed codes are guesses too, and a network of IPv6 addresses is one visitor', async () => {
  const guesses = await statuses(VISITOR_LIMITS.unknown.address + 5, (index) =>
    ask(rig, `/bill/x${index}/state`, { headers: from(`2001:db8:1:2::${index.toString(16)}`) }),
  );
  expect(count(guesses, 429)).toBe(5);
});

test('choices and checks of one invoice are bounded, from wherever they come', async () => {
  const transId = await newInvoice(rig);
  const choices = await statuses(VISITOR_LIMITS.select.invoice + 3, (index) =>
    postJson(rig, `/bill/${transId}/select`, { network: 'X', token: 'Y' }, from(`198.51.100.${index}`)),
  );
  expect([count(choices, 409), count(choices, 429)]).toEqual([VISITOR_LIMITS.select.invoice, 3]);
  const checks = await statuses(VISITOR_LIMITS.check.invoice + 3, (index) =>
    postJson(rig, `/bill/${transId}/check`, { tx: 'x' }, from(`198.51.100.${index}`)),
  );
  expect([count(checks, 200), count(checks, 429)]).toEqual([VISITOR_LIMITS.check.invoice, 3]);
});

test('checks of one address are bounded, of whatever invoices', async () => {
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
