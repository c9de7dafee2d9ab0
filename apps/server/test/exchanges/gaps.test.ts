import { requireDecimal } from '@counterfoil/core/amount.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite, OpenPayment } from '../../rig/exchanges/exchange-fixture.ts';
import {
  addAccount,
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  pass,
  payQuote,
  poll,
} from '../../rig/exchanges/exchange-fixture.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, endOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { StatementFollower } from '../../src/accounts/statement-follower.ts';
import type { StatementRow, StatementSource } from '../../src/platforms/statement-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { stopExchangeAccount } from '../../src/wallets/stop-exchange-account.ts';

/** Statements of which something was not read for long, or cannot be read for now. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const MS = 1_000;
/** Digits of the units that statements have. */
const DECIMALS = 8;

let site: ExchangeSite;
let okx: ExchangeSite;
beforeAll(async () => {
  [site, okx] = [
    await openExchangeSite(inject('template'), 'BINANCE'),
    await openExchangeSite(inject('template'), 'OKX'),
  ];
});
afterAll(() => Promise.all([site.close(), okx.close()]));

const status = ({ engine, store }: ExchangeFixture, { transId }: OpenPayment) => statusOf(engine, store, transId);
const alarms = ({ engine, network, account }: ExchangeFixture) => alarmsOf(engine, `${network} ${account.uid}`);

/** A fixture whose reader reads statements by `read`, which may ask the platform. */
function readingBy(
  fixture: ExchangeFixture,
  read: (ask: StatementSource['readStatement']) => StatementSource['readStatement'],
): ExchangeFixture {
  const { follower } = fixture;
  const source = { ...follower.source, readStatement: read(follower.source.readStatement) };
  const reader: StatementFollower = { ...follower, source };
  return { ...fixture, follower: reader };
}

describe('an exchange account with many rows', () => {
  test.each([400, 1_600])('and %s of them a day is read again after two hours in which nobody read', async (count) => {
    const fixture = await openExchangeFixture(site);
    const { engine, fake, account } = fixture;
    await openPayment(fixture);
    const everyMs = (24 * HOUR * MS) / count;
    for (let place = 0; place < count; place += 1)
      fake.pay(account.uid, { token: 'DOGE', amount: '1', atMs: engine.clock.nowMs() - place * everyMs });
    engine.clock.advance(2 * HOUR * MS);
    const open = await openPayment(fixture);
    payQuote(fixture, open);
    await pass(fixture, 10 * MINUTE, 8);
    expect(await status(fixture, open)).toBe('completed');
  });

  test('is read part by part where a gap takes more requests than its quota allows, and is covered in the end', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, fake, account } = fixture;
    const unpaid = await openPayment(fixture);
    const everyMs = (20 * HOUR * MS) / 3_000;
    for (let place = 0; place < 3_000; place += 1)
      fake.pay(account.uid, { token: 'DOGE', amount: '1', atMs: engine.clock.nowMs() + place * everyMs });
    engine.clock.advance(20 * HOUR * MS);
    const open = await openPayment(fixture);
    payQuote(fixture, open);
    await pass(fixture, 10 * MINUTE, 8);
    expect(await status(fixture, open)).toBe('completed');
    expect(await status(fixture, unpaid)).toBe('waiting');
    await pass(fixture, 30 * MINUTE, 20);
    await expire(engine);
    expect(await status(fixture, unpaid)).toBe('expired');
  });

  test('shows its newest rows though everything else is refused, and operators are told', async () => {
    const { clock } = site.engine;
    const fixture = readingBy(await openExchangeFixture(site), (ask) => async (key, fromMs, toMs) => {
      if (fromMs < clock.nowMs() - 10 * MINUTE * MS) throw new SourceError('rate', 'The quota is used.');
      return ask(key, fromMs, toMs);
    });
    const open = await openPayment(fixture);
    payQuote(fixture, open);
    await poll(fixture);
    expect(await status(fixture, open)).toBe('completed');
    expect(await alarms(fixture)).toEqual([]);
    await pass(fixture, 15 * MINUTE);
    expect(await alarms(fixture)).toEqual(['exchange-account-silent']);
  });
});

test('an exchange account that cannot be read for a reason of ours raises an alarm after ten minutes', async () => {
  const fixture = await openExchangeFixture(site);
  await openPayment(fixture);
  const broken = readingBy(fixture, () => async () => {
    throw new TypeError('A bug of the adapter.');
  });
  await pass(broken, 9 * MINUTE);
  expect(await alarms(fixture)).toEqual([]);
  await pass(broken, 2 * MINUTE);
  expect(await alarms(fixture)).toEqual(['exchange-account-silent']);
});

describe('after more than a day', () => {
  test('in which nobody read, the newest rows are read within a few polls', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine } = fixture;
    const open = await openPayment(fixture);
    engine.clock.advance(100 * HOUR * MS);
    const id = payQuote(fixture, open, { amount: '3.21' });
    await pass(fixture, 12, 2);
    expect(await transfersOf(engine, id)).toHaveLength(1);
  });

  test('in which an account was stopped, what arrives there is still recorded at once', async () => {
    const fixture = await openExchangeFixture(site);
    const { engine, network, account } = fixture;
    const open = await openPayment(fixture);
    const context = { database: engine.as('admin'), clock: engine.clock };
    await stopExchangeAccount(context, TESTER, { network, account: account.uid, reason: 'a test' });
    await pass(fixture, 40 * HOUR, HOUR);
    const id = payQuote(fixture, open);
    await poll(fixture);
    expect(await transfersOf(engine, id)).toHaveLength(1);
  });

  test('in which a platform held a payment, its invoice completes once it is final', async () => {
    const fixture = await openExchangeFixture(okx);
    const open = await openPayment(fixture);
    const id = payQuote(fixture, open, { state: 'pending' });
    await pass(fixture, 26 * HOUR, 30 * MINUTE);
    expect(await status(fixture, open)).toBe('processing');
    fixture.fake.settle(id, 'final');
    await pass(fixture, 12 * MINUTE);
    expect(await status(fixture, open)).toBe('completed');
  });

  test('in which a platform held more payments than a poll reads again, each of them completes or fails', async () => {
    const fixture = await openExchangeFixture(okx);
    const held = [];
    for (let payer = 0; payer < 5; payer += 1) {
      const open = await openPayment(fixture);
      held.push({ open, id: payQuote(fixture, open, { state: 'pending' }) });
      fixture.engine.clock.advance(10 * MS);
    }
    await pass(fixture, 26 * HOUR, 30 * MINUTE);
    for (const [place, { id }] of held.entries()) fixture.fake.settle(id, place === 0 ? 'failed' : 'final');
    await pass(fixture, 12 * MINUTE);
    const [failed, ...others] = await Promise.all(held.map(({ open }) => status(fixture, open)));
    expect(['waiting', 'expired']).toContain(failed);
    expect(others).toEqual(Array.from({ length: 4 }, () => 'completed'));
  });
});

/** A statement with one row more, which is unclear until it is shown otherwise. */
async function withUnclear() {
  const plain = await openExchangeFixture(site);
  const row: StatementRow = {
    id: `unclear-${plain.account.uid}`,
    token: 'USDT',
    units: 0n,
    atMs: 0,
    from: '',
    state: 'unclear',
  };
  let shown: StatementRow | undefined;
  const fixture = readingBy(plain, (ask) => async (key, fromMs, toMs) => {
    const rows = await ask(key, fromMs, toMs);
    return shown && shown.atMs >= fromMs && shown.atMs <= toMs ? [...rows, shown] : rows;
  });
  const show = (facts: Partial<StatementRow>) => {
    shown = { ...(shown ?? row), ...facts };
  };
  return { fixture, show };
}

async function passEnd(fixture: ExchangeFixture, open: OpenPayment, seconds: number, step: number) {
  const { engine } = fixture;
  engine.clock.advance(((await endOf(engine, open.transId)) + 1) * MS - engine.clock.nowMs());
  await pass(fixture, seconds, step);
  await expire(engine);
}

describe('a row that is unclear', () => {
  test('holds coverage below it, so that its invoice is open when it turns out to be the payment', async () => {
    const { fixture, show } = await withUnclear();
    const { engine } = fixture;
    const [open, other] = [await openPayment(fixture), await openPayment(fixture)];
    show({ atMs: engine.clock.nowMs() });
    payQuote(fixture, other);
    await poll(fixture);
    expect(await status(fixture, other)).toBe('completed');
    await passEnd(fixture, open, 3 * HOUR, 5 * MINUTE);
    expect(await status(fixture, open)).toBe('waiting');
    expect(await alarms(fixture)).toEqual(['exchange-row-unclear']);
    show({ units: requireDecimal(open.quote.tokenAmount, DECIMALS), state: 'final' });
    await pass(fixture, HOUR + 5 * MINUTE, 2 * MINUTE);
    expect(await status(fixture, open)).toBe('completed');
  });

  test('holds coverage for twelve hours at most', async () => {
    const { fixture, show } = await withUnclear();
    const open = await openPayment(fixture);
    show({ atMs: fixture.engine.clock.nowMs() });
    await passEnd(fixture, open, 11 * HOUR, 10 * MINUTE);
    expect(await status(fixture, open)).toBe('waiting');
    await pass(fixture, HOUR, 5 * MINUTE);
    await expire(fixture.engine);
    expect(await status(fixture, open)).toBe('expired');
  });
});

test('a base address that does not answer is asked last once another has answered', async () => {
  const fixture = await openExchangeFixture(site);
  const { engine, network, store, follower } = fixture;
  const dead = 'http://dead.example';
  const elsewhere = await addAccount(fixture, store);
  const change = 'update exchange_accounts set base_url = $3, added_at = $4 where network = $1 and account = $2';
  await engine.database.pool.query(change, [network, elsewhere.uid, dead, new Date(0)]);
  const asked: string[] = [];
  const readTime = async (baseUrl: string) => {
    asked.push(baseUrl);
    if (baseUrl === dead) throw new SourceError('unavailable', 'It does not answer.');
    return follower.source.readTime(baseUrl);
  };
  const reader = { ...follower, source: { ...follower.source, readTime } };
  try {
    for (let polls = 0; polls < 3; polls += 1) await poll(fixture, reader);
    expect(asked.filter((baseUrl) => baseUrl === dead)).toHaveLength(1);
  } finally {
    await engine.database.pool.query(change, [network, elsewhere.uid, fixture.fake.url, new Date(0)]);
  }
});
