import type { CheckoutView, TransactionCheck } from '@counterfoil/checkout/checkout-view';
import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite, OpenPayment } from '../../rig/exchanges/exchange-fixture.ts';
import {
  addAccount,
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  payQuote,
  poll,
} from '../../rig/exchanges/exchange-fixture.ts';
import { endOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, setPrices as setPricesAhead } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { setPrices } from '../../rig/site/market.ts';
import { ask, postForm, postJson, stateOf } from '../../rig/site/api-site.ts';
import { openStore } from '../../rig/stores/open-store.ts';

/** The page of an invoice that is paid inside an exchange platform, as a real API process serves it. */

const BINANCE = 'EXCHANGE_PAY:BINANCE';
const FAULT = `fault = 'cannot-read', faulty_since = now()`;

let site: ExchangeSite;
let server: ServerProcess;
let fixture: ExchangeFixture;
beforeAll(async () => {
  site = await openExchangeSite(inject('template'), 'BINANCE');
  server = await startApi(site.engine.url, { COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await server.stop();
  await site.close();
});
beforeEach(async () => {
  fixture = await openExchangeFixture(site);
});

const textOf = (html: string) => html.replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gs, '').replaceAll(/<[^>]+>/g, '');
const pageOf = async (path: string) => textOf(await (await ask({ server }, path)).text());

async function offered() {
  await poll(fixture);
  await setPrices(fixture.engine.database);
  return newInvoice(fixture.engine, fixture.store);
}

const check = async (transId: string, tx: string) => {
  const response = await postJson({ server }, `/bill/${transId}/check`, { tx });
  return ((await response.json()) as { check: TransactionCheck }).check;
};

const methodsOf = ({ methods }: CheckoutView) =>
  methods.map(({ networkName, token, state, refusal }) => [networkName, token, state, refusal]);

async function change(assignments: string): Promise<void> {
  await fixture.engine.database.pool.query(
    `update exchange_accounts set ${assignments} where network = $1 and account = $2`,
    [BINANCE, fixture.account.uid],
  );
}

describe('the choice', () => {
  test('lists a platform among exchange accounts, in the first HTML', async () => {
    const page = await pageOf(`/bill/${await offered()}`);
    for (const text of ['Exchange accounts', 'Binance', 'No network fee, arrives at once'])
      expect(page).toContain(text);
  });

  test.each([
    ['has a fault', FAULT],
    ['is stopped', `stopped_at = now(), stop_reason = 'gone', stopped_by = 'a test'`],
    ['was not checked for 25 hours', `checked_at = now() - interval '25 hours 1 minute'`],
    ['has a key that ends in two days', `key_expires_at = now() + interval '2 days'`],
  ])('shows an account that %s as not available, and refuses it', async (_name, assignments) => {
    const transId = await offered();
    await change(assignments);
    expect(methodsOf(await stateOf({ server }, transId))).toEqual([
      ['Binance', 'USDT', 'unavailable', 'account-unavailable'],
      ['Binance', 'USDC', 'unavailable', 'account-unavailable'],
    ]);
    const page = await pageOf(`/bill/${transId}`);
    expect(page).toContain('Not available at the moment');
    expect(page).toContain('Binance (USDT, USDC): the shop’s account there takes no payments.');
    const refused = await postJson({ server }, `/bill/${transId}/select`, { network: BINANCE, token: 'USDT' });
    expect(await refused.json()).toEqual({
      refusal: 'network-unavailable',
      said: 'This way to pay is not available at the moment. Please choose another one.',
    });
  });

  test('offers a platform while one of several accounts there is well', async () => {
    await addAccount(site, fixture.store);
    const transId = await offered();
    await change(FAULT);
    expect(methodsOf(await stateOf({ server }, transId))[0]).toEqual(['Binance', 'USDT', 'ready', null]);
  });
});

describe('without script', () => {
  test('a form leads to the id, the exact amount and the steps, without a QR code', async () => {
    const transId = await offered();
    const chosen = await postForm({ server }, `/bill/${transId}/select`, { network: BINANCE, token: 'USDT' });
    const path = chosen.headers.get('location') ?? '';
    expect(path).toBe(`/bill/${transId}?network=EXCHANGE_PAY%3ABINANCE&token=USDT`);
    const html = await (await ask({ server }, path)).text();
    const { quote } = await stateOf({ server }, transId);
    const page = textOf(html);
    for (const text of [
      'Send only USDT, and only inside Binance',
      'To this Binance ID',
      'go to Pay, then Send',
      `Enter the Binance ID ${fixture.account.uid} as the recipient`,
      `Enter exactly ${quote?.amount} USDT`,
      'A withdrawal over a network does not arrive here',
    ])
      expect(page).toContain(text);
    expect(html).not.toContain('class="qr"');
  });

  test.each(LANGUAGE_CODES)('in %s the page says where to pay and how much', async (language) => {
    const { transId, quote } = await openPayment(fixture);
    const page = await pageOf(`/bill/${transId}?lang=${language}`);
    for (const text of ['Binance ID', fixture.account.uid, quote.tokenAmount]) expect(page).toContain(text);
  });

  test('“I have paid” is answered on the page', async () => {
    const open = await openPayment(fixture);
    payQuote(fixture, open, {}, -300_000n);
    await poll(fixture);
    const { rows } = await fixture.engine.database.pool.query<{ tx_id: string }>(
      'select tx_id from transfers order by id desc limit 1',
    );
    const answered = await postForm({ server }, `/bill/${open.transId}/check`, { tx: rows[0]?.tx_id ?? '' });
    expect(textOf(await answered.text())).toContain('it is 0.3 USDT too little');
  });
});

const pay = (open: OpenPayment, byUnits = 0n, more = {}) => {
  const units = open.quote.displayUnits + byUnits;
  const amount = `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`;
  return fixture.fake.pay(open.quote.toAddress, { token: open.quote.token, amount, ...more });
};

describe('“I have paid”', () => {
  test.each(['id', 'otherId'] as const)('finds a payment by its %s', async (key) => {
    const open = await openPayment(fixture);
    const ids = pay(open, 0n, { state: 'pending' });
    await poll(fixture);
    expect(await check(open.transId, ids[key] ?? '')).toMatchObject({ reason: 'pending', networkName: 'Binance' });
    fixture.fake.settle(ids.id, 'final');
    await poll(fixture);
    expect(await check(open.transId, ids[key] ?? '')).toMatchObject({ reason: 'matches' });
  });

  test('finds a deposit inside of the platform by what its app shows', async () => {
    const open = await openPayment(fixture);
    const { otherId } = pay(open, 0n, { way: 'second' });
    await poll(fixture);
    expect(otherId).toMatch(/^Internal transfer /);
    expect(await check(open.transId, otherId ?? '')).toMatchObject({ reason: 'matches' });
  });

  test('says what is wrong with a payment', async () => {
    const before = { token: 'USDT', amount: '50.01', atMs: fixture.engine.clock.nowMs() - 600_000 };
    const early = fixture.fake.pay(fixture.account.uid, before);
    const open = await openPayment(fixture);
    const over = pay(open, 5_000n);
    const other = pay(open, 0n, { token: 'USDC' });
    const failed = pay(open, 1_000n, { state: 'pending' });
    await poll(fixture);
    fixture.fake.settle(failed.id, 'failed');
    await poll(fixture);
    expect(await check(open.transId, over.id)).toMatchObject({ reason: 'over', amount: '0.005' });
    expect(await check(open.transId, early.id)).toMatchObject({ reason: 'early', amount: null });
    expect(await check(open.transId, other.id)).toMatchObject({ reason: 'wrong-token', token: 'USDC' });
    expect(await check(open.transId, failed.id)).toMatchObject({ reason: 'failed' });
  });

  test('says nothing of the invoice that a payment was counted for', async () => {
    const [mine, theirs] = [await openPayment(fixture), await openPayment(fixture)];
    const { id } = pay(theirs);
    await poll(fixture);
    expect(await check(mine.transId, id)).toEqual({
      reason: 'used',
      token: 'USDT',
      networkName: 'Binance',
      amount: null,
      seconds: null,
      blocks: null,
    });
  });

  test('knows nothing of other accounts at the platform', async () => {
    const open = await openPayment(fixture);
    const store = await openStore(fixture.engine.database, { clock: fixture.engine.clock, wallet: false });
    await addAccount(site, store);
    const theirs = await openPayment(fixture, store);
    const { id } = pay(theirs);
    await poll(fixture);
    expect(await check(open.transId, id)).toMatchObject({ reason: 'not-found', token: null });
  });

  test('has a worker read the account now when nothing is found', async () => {
    const open = await openPayment(fixture);
    const { pool } = fixture.engine.database;
    await pool.query(`update followed_accounts set next_read_at = now() + interval '1 hour'`);
    const { id } = pay(open);
    expect(await check(open.transId, id)).toMatchObject({ reason: 'not-found' });
    const { rows } = await pool.query('select network, account from account_demands');
    expect(rows).toEqual([{ network: BINANCE, account: fixture.account.uid }]);
    await poll(fixture);
    expect(await stateOf({ server }, open.transId)).toMatchObject({ step: 'paid' });
  });
});

test('a completed page shows the platform’s id and no explorer, in the words of the platform', async () => {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open, { from: '11****22' });
  await poll(fixture);
  const html = await (await ask({ server }, `/bill/${open.transId}`)).text();
  expect(textOf(html)).toContain(`Payment ID at Binance${id}`);
  expect(html).not.toContain('target="_blank"');
  const response = await fetch(`${server.url}/invoice/${open.transId}`, {
    headers: { 'x-api-key': fixture.store.apiKey },
  });
  expect(await response.json()).toMatchObject({
    data: { network_symbol: 'EXCHANGE_PAY', transaction_hash: id, from_address: '11****22' },
  });
});

describe('later', () => {
  // The clock of the rig runs ahead from here on; the process that is asked has the system's.
  test('goes on offering an account between two looks at the platform’s time', async () => {
    const transId = await offered();
    fixture.engine.clock.advance(60_000);
    await setPricesAhead(fixture.engine);
    const { engine } = fixture;
    const choice = { transId, network: BINANCE, token: 'USDT' };
    expect(await selectMethod({ database: engine.as('api'), clock: engine.clock }, choice)).toMatchObject({
      toAddress: fixture.account.uid,
    });
  });

  test('“I have paid” says by how much a payment came late', async () => {
    const open = await openPayment(fixture);
    const { engine } = fixture;
    engine.clock.advance((await endOf(engine, open.transId)) * 1_000 + 90_000 - engine.clock.nowMs());
    const { id } = pay(open);
    await poll(fixture);
    expect(await check(open.transId, id)).toMatchObject({ reason: 'late', seconds: 90 });
  });
});
