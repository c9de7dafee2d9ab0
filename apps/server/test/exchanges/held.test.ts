import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite, OpenPayment } from '../../rig/exchanges/exchange-fixture.ts';
import {
  FAKES,
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  pass,
  payQuote,
  poll,
} from '../../rig/exchanges/exchange-fixture.ts';
import type { FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, factsOf, lookUp, statusOf } from '../../rig/invoices/look-up.ts';

/** Payments that a platform lists and has not credited for long. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY_MS = 86_400_000;

const status = ({ engine, store }: ExchangeFixture, { transId }: OpenPayment) => statusOf(engine, store, transId);
const alarms = ({ engine, network, account }: ExchangeFixture) => alarmsOf(engine, `${network} ${account.uid}`);

/** Lets hours pass half an hour at a time, ends what is due, and returns each status that an invoice had. */
async function passHours(fixture: ExchangeFixture, open: OpenPayment, hours: number): Promise<string[]> {
  const seen = new Set<string>();
  for (let halves = 0; halves < 2 * hours; halves += 1) {
    await pass(fixture, 30 * MINUTE, 30 * MINUTE);
    await expire(fixture.engine);
    seen.add(await status(fixture, open));
  }
  return [...seen];
}

describe.each(Object.keys(FAKES) as FakePlatform[])('at %s', (platform) => {
  let site: ExchangeSite;
  beforeAll(async () => {
    site = await openExchangeSite(inject('template'), platform);
  });
  afterAll(() => site.close());

  test('a payment that is held for thirty hours keeps its invoice in progress, and completes it once it is credited', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, fake } = fixture;
    const open = await openPayment(fixture);
    const creditAtMs = fake.nowMs() + 30 * HOUR * 1_000;
    const id = payQuote(fixture, open, { creditAtMs });
    await poll(fixture);
    expect(await passHours(fixture, open, 29)).toEqual(['processing']);
    await passHours(fixture, open, 2);
    expect(await lookUp(engine, fixture.store, open.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: id,
    });
    expect(await factsOf(engine, open.transId)).toMatchObject({ late: false });
    const { rows } = await engine.database.pool.query('select tx_id from transfers where to_address = $1', [
      fixture.account.uid,
    ]);
    expect(rows).toEqual([{ tx_id: id }]);
  });
});

describe('at KuCoin', () => {
  let site: ExchangeSite;
  beforeAll(async () => {
    site = await openExchangeSite(inject('template'), 'KUCOIN');
  });
  afterAll(() => site.close());

  test('a payment that is held for thirty hours and then fails lets its invoice expire', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    const id = payQuote(fixture, open, { state: 'pending' });
    await poll(fixture);
    expect(await passHours(fixture, open, 30)).toEqual(['processing']);
    fixture.fake.settle(id, 'failed');
    expect((await passHours(fixture, open, 1)).at(-1)).toBe('expired');
  });

  test('a credited payment that the ledger does not show keeps its invoice in progress, and operators are told', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    payQuote(fixture, open, { ledgerDelayMs: 20 * HOUR * 1_000 });
    await poll(fixture);
    expect(await passHours(fixture, open, 19)).toEqual(['processing']);
    expect(await alarms(fixture)).toContain('exchange-row-unclear');
    expect((await passHours(fixture, open, 2)).at(-1)).toBe('completed');
  });

  test('a payment that is not credited for ninety days is given up, and its invoice expires', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine } = fixture;
    const open = await openPayment(fixture);
    payQuote(fixture, open, { state: 'pending' });
    await poll(fixture);
    engine.clock.advance(89 * DAY_MS);
    // After an outage a poll reads a day at most.
    for (let polls = 0; polls < 100; polls += 1) await poll(fixture);
    expect(await passHours(fixture, open, 1)).toEqual(['processing']);
    expect((await passHours(fixture, open, 25)).at(-1)).toBe('expired');
    expect(await alarms(fixture)).toContain('exchange-row-unclear');
  });
});
