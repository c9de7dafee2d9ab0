import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { SCENARIOS } from '../../src/sandbox/act.ts';
import { MAX_FAULT_SECONDS } from '../../src/sandbox/request-fault.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { setPrices } from '../../rig/site/market.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Explanation, TestSite } from '../../rig/sandbox/test-site.ts';
import {
  act,
  askSandbox,
  chooseMethod,
  createTestInvoice,
  openTestSite,
  untilExplained,
} from '../../rig/sandbox/test-site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite(inject('template'));
});
afterAll(() => site.close());

const newStore = () => openStore(site.database, { test: true, ring: site.store.ring });
const newLiveStore = () => openStore(site.database, { ring: site.store.ring });
const is = (status: string) => (one: Explanation) => one.status === status;
const hasCancelledMoney = (one: Explanation) => one.transfers.some(({ reason }) => reason === 'cancelled');
const isDone = (one: Explanation) => one.acts.every(({ done }) => done !== undefined);

const routesOf = (transId: string): [path: string, body: unknown][] => [
  [`/sandbox/invoices/${transId}`, undefined],
  [`/sandbox/invoices/${transId}/pay`, {}],
  [`/sandbox/invoices/${transId}/confirm`, {}],
  [`/sandbox/invoices/${transId}/reorg`, {}],
  [`/sandbox/invoices/${transId}/advance`, { seconds: 60 }],
  [`/sandbox/invoices/${transId}/play`, { scenario: 'pay' }],
  ['/sandbox/faults', { fault: 'outage', seconds: 10 }],
];

describe('keys', () => {
  test('a live key is refused by every route, also for its own invoice, and nothing is done', async () => {
    const live = await newLiveStore();
    const own = await createTestInvoice(site, '25', live);
    const foreign = await createTestInvoice(site, '25');
    for (const [path, body] of [...routesOf(own), ...routesOf(foreign)])
      expect(await askSandbox(site, live, path, body)).toMatchObject({
        status: 403,
        body: { error_code: 'TEST_KEY_REQUIRED' },
      });
    const { rows } = await site.database.pool.query('select from sandbox_acts where store_id = $1', [live.id]);
    expect(rows).toEqual([]);
  });

  test('the invoice of another store is not found', async () => {
    const transId = await createTestInvoice(site, '25');
    const other = await newStore();
    for (const [path, body] of routesOf(transId).slice(0, -1))
      expect(await askSandbox(site, other, path, body)).toMatchObject({
        status: 404,
        body: { error_code: 'INVOICE_NOT_FOUND' },
      });
  });

  test.each([
    ['pay', { payment: 'often' }, 'payment'],
    ['pay', { slow: 'yes' }, 'slow'],
    ['pay', { network_symbol: 'BSC' }, 'network_symbol'],
    ['advance', { seconds: 0 }, 'seconds'],
    ['advance', { seconds: 1.5 }, 'seconds'],
    ['advance', { seconds: 40_000_000 }, 'seconds'],
    ['play', { scenario: 'win' }, 'scenario'],
    ['play', {}, 'scenario'],
    ['reorg', { returns: 1 }, 'returns'],
    ['confirm', { now: true }, 'body'],
  ])('%s refuses %o and names the field', async (what, body, field) => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    const answer = await askSandbox(site, store, `/sandbox/invoices/${transId}/${what}`, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_ERROR', details: { errors: [{ field }] } },
    });
  });

  test('requests have limits of their own, which leave those of the merchant API alone', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    await askSandbox(site, store, `/sandbox/invoices/${transId}`);
    // The window of a second stays open, however long the requests take.
    await site.database.pool.query(
      `update admissions set burst_started_at = now() + interval '1 minute' where endpoint = 'sandbox'`,
    );
    const asked = Array.from({ length: 40 }, () => askSandbox(site, store, `/sandbox/invoices/${transId}`));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    await site.database.pool.query(`delete from admissions where endpoint = 'sandbox'`);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await askSandbox(site, store, `/invoice/${transId}`)).toMatchObject({ status: 200 });
  });

  test('an invoice takes fifty acts, and beyond them only those that confirm a payment or put it back', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    const { rows } = await site.database.pool.query<{ id: bigint }>('select id from invoices where trans_id = $1', [
      transId,
    ]);
    await site.database.pool.query(
      `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at, done_at)
       select $1, $2, '{"kind":"advance","seconds":1}', now(), now(), now() from generate_series(1, 49)`,
      [store.id, rows[0]?.id],
    );
    await act(site, transId, 'advance', { seconds: 1 }, store);
    expect(await askSandbox(site, store, `/sandbox/invoices/${transId}/advance`, { seconds: 1 })).toMatchObject({
      status: 409,
      body: { error_code: 'TOO_MANY_ACTS' },
    });
    await act(site, transId, 'confirm', {}, store);
    await act(site, transId, 'reorg', { returns: true }, store);
    expect(await askSandbox(site, store, `/sandbox/invoices/${transId}/reorg`, { returns: false })).toMatchObject({
      status: 409,
    });
  });
});

describe('networks', () => {
  test('a test store is offered the sandbox alone, and a live store everything else', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    const live = await newLiveStore();
    const liveId = await createTestInvoice(site, '25', live);
    expect((await chooseMethod(site, transId, { network: 'BSC', token: 'USDT' })).status).toBe(409);
    expect((await chooseMethod(site, liveId, { network: 'sandbox:BSC', token: 'USDT' })).status).toBe(409);
    expect((await chooseMethod(site, transId)).status).toBe(200);
    const state = (await (await fetch(`${site.server.url}/bill/${transId}/state`)).json()) as {
      quote: { address: string; links: unknown[] };
      methods: { network: string }[];
    };
    expect(state.methods.every(({ network }) => network.startsWith('sandbox:'))).toBe(true);
    expect(state.quote.address).toBe(`test-bsc-${store.merchantId}`);
    expect(state.quote.links).toEqual([]);
  });

  test('merchants see the symbol of the chain, and a payment that nobody could make', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    await act(site, transId, 'pay', { network_symbol: 'TRC20', token_symbol: 'USDT' }, store);
    await untilExplained(site, transId, is('completed'), store);
    const { body } = await askSandbox(site, store, `/invoice/${transId}`);
    expect(body.data).toMatchObject({
      status: 'completed',
      network_symbol: 'TRC20',
      to_address: `test-trc20-${store.merchantId}`,
      fee_amount: '0.00',
    });
    expect((body.data as { transaction_hash: string }).transaction_hash).toMatch(/^test-[0-9a-f]{32}$/);
  });

  test.each(['BSC', 'ETH', 'TRC20', 'SOL', 'POLYGON', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX'])(
    '%s can be paid',
    async (network) => {
      const store = await newStore();
      const transId = await createTestInvoice(site, '25', store);
      await act(site, transId, 'pay', { network_symbol: network, token_symbol: 'USDT' }, store);
      await untilExplained(site, transId, is('completed'), store);
    },
  );

  test('a method that is not offered is refused with the reason', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    const method = { network_symbol: 'BSC', token_symbol: 'DOGE' };
    expect(await askSandbox(site, store, `/sandbox/invoices/${transId}/pay`, method)).toMatchObject({
      status: 409,
      body: { error_code: 'METHOD_NOT_SELECTED', details: { refusal: 'not-offered' } },
    });
  });
});

const fail = (store: TestStore, fault: string, seconds: number) =>
  askSandbox(site, store, '/sandbox/faults', { fault, seconds });

describe('faults', () => {
  test('webhooks fail on purpose, are tried again, and nothing is sent meanwhile', async () => {
    const store = await newStore();
    await fail(store, 'webhooks', MAX_FAULT_SECONDS);
    const transId = await createTestInvoice(site, '25', store);
    await act(site, transId, 'pay', {}, store);
    const failed = await untilExplained(site, transId, (one) => (one.events[0]?.attempts ?? 0) > 0, store);
    expect(failed).toMatchObject({ status: 'completed', events: [{ delivery: 'pending' }] });
    expect(site.receiver.received.filter(({ body }) => body.includes(transId))).toEqual([]);
    await fail(store, 'webhooks', 0);
    const other = await createTestInvoice(site, '25', store);
    await act(site, other, 'pay', {}, store);
    await untilExplained(site, other, (one) => one.events[0]?.delivery === 'delivered', store);
    expect(site.receiver.received.filter(({ body }) => body.includes(other))).toMatchObject([{ verified: true }]);
  });

  test('prices are gone for the store that asked, and for no other', async () => {
    const store = await newStore();
    const transId = await createTestInvoice(site, '25', store);
    const others = await createTestInvoice(site, '25');
    await fail(store, 'prices', MAX_FAULT_SECONDS);
    const areGone = async () => {
      const { rows } = await site.database.pool.query(
        'select from test_faults where store_id = $1 and prices_gone_until > now()',
        [store.id],
      );
      return rows.length > 0;
    };
    await waitUntil(areGone, { what: 'Prices are not gone.', pollMs: 50 });
    expect(await (await chooseMethod(site, transId)).json()).toEqual({
      refusal: 'price-unavailable',
      said: 'There is no reliable price for this token at the moment. Please choose another one.',
    });
    await setPrices(site.database);
    expect((await chooseMethod(site, others)).status).toBe(200);
    await fail(store, 'prices', 0);
    await waitUntil(async () => !(await areGone()), { what: 'Prices stay away.', pollMs: 50 });
    await setPrices(site.database);
    expect((await chooseMethod(site, transId)).status).toBe(200);
  });

  test('an outage of one store hides nothing of another on the same network', async () => {
    const store = await newStore();
    await fail(store, 'outage', MAX_FAULT_SECONDS);
    const mine = await createTestInvoice(site, '25', store);
    await act(site, mine, 'pay', {}, store);
    await untilExplained(site, mine, isDone, store);
    const others = await createTestInvoice(site, '25');
    await act(site, others, 'pay');
    await untilExplained(site, others, is('completed'));
    expect((await untilExplained(site, mine, isDone, store)).status).toBe('waiting');
    await fail(store, 'outage', 0);
    await untilExplained(site, mine, is('completed'), store);
  });

  test('failing webhooks of one store fail for no other store', async () => {
    const store = await newStore();
    await fail(store, 'webhooks', MAX_FAULT_SECONDS);
    const mine = await createTestInvoice(site, '25', store);
    await act(site, mine, 'pay', {}, store);
    await untilExplained(site, mine, (one) => (one.events[0]?.attempts ?? 0) > 0, store);
    const other = await newStore();
    const others = await createTestInvoice(site, '25', other);
    await act(site, others, 'pay', {}, other);
    await untilExplained(site, others, (one) => one.events[0]?.delivery === 'delivered', other);
  });

  test('a payment that is back lets its own store go on, and leaves the stop of another store alone', async () => {
    const lose = async (store: TestStore) => {
      const transId = await createTestInvoice(site, '25', store);
      await act(site, transId, 'pay', {}, store);
      await untilExplained(site, transId, is('completed'), store);
      await act(site, transId, 'reorg', {}, store);
      await untilExplained(site, transId, (one) => one.transfers[0]?.in_chain === false, store);
      return transId;
    };
    const isStopped = async (store: TestStore) => {
      const { rows } = await site.database.pool.query(
        'select from followed_accounts where account = $1 and stopped_at is not null',
        [`test-bsc-${store.merchantId}`],
      );
      return rows.length > 0;
    };
    const [one, other] = [await newStore(), await newStore()];
    const lost = await lose(one);
    await lose(other);
    await act(site, lost, 'reorg', { returns: true }, one);
    await untilExplained(site, lost, (explained) => explained.transfers[0]?.in_chain === true, one);
    expect([await isStopped(one), await isStopped(other)]).toEqual([false, true]);
    // The stopped network is not offered, and the usual method is another one.
    const next = await createTestInvoice(site, '26', other);
    expect(await (await chooseMethod(site, next)).json()).toEqual({
      refusal: 'network-unavailable',
      said: 'This way to pay is not available at the moment. Please choose another one.',
    });
    await act(site, next, 'pay', {}, other);
    await untilExplained(site, next, is('completed'), other);
  });

  test('a store that lost a payment settles nothing more on that network until it is back; others go on', async () => {
    const store = await newStore();
    const same = await createTestInvoice(site, '26', store);
    await chooseMethod(site, same);
    const lost = await createTestInvoice(site, '25', store);
    await act(site, lost, 'pay', {}, store);
    await untilExplained(site, lost, is('completed'), store);
    await act(site, lost, 'reorg', {}, store);
    await untilExplained(site, lost, (one) => one.transfers[0]?.in_chain === false, store);
    await act(site, same, 'pay', {}, store);
    await untilExplained(site, same, is('processing'), store);
    const elsewhere = await createTestInvoice(site, '27', store);
    await act(site, elsewhere, 'pay', { network_symbol: 'SOL', token_symbol: 'USDT' }, store);
    await untilExplained(site, elsewhere, is('completed'), store);
    const others = await createTestInvoice(site, '28');
    await act(site, others, 'pay');
    await untilExplained(site, others, is('completed'));
    expect((await untilExplained(site, same, isDone, store)).status).toBe('processing');
    await act(site, lost, 'reorg', { returns: true }, store);
    await untilExplained(site, same, is('completed'), store);
    expect(await untilExplained(site, lost, isDone, store)).toMatchObject({
      transfers: [{ in_chain: true, pays: true }],
    });
  });
});

async function createdAt(transId: string): Promise<Date | undefined> {
  const statement = 'select created_at from invoices where trans_id = $1';
  return (await site.database.pool.query<{ created_at: Date }>(statement, [transId])).rows[0]?.created_at;
}

test('an invoice that is advanced over a month, and a year, settles, and the ledger is right', async () => {
  const store = await newStore();
  const transId = await createTestInvoice(site, '25', store);
  const made = [await createdAt(transId)];
  await chooseMethod(site, transId);
  await act(site, transId, 'pay', { slow: true }, store);
  await untilExplained(site, transId, is('processing'), store);
  await act(site, transId, 'advance', { seconds: 31_000_000 }, store);
  await act(site, transId, 'confirm', {}, store);
  expect(await untilExplained(site, transId, is('completed'), store)).toMatchObject({ late: false });
  const late = await createTestInvoice(site, '25', store);
  made.push(await createdAt(late));
  await chooseMethod(site, late);
  await act(site, late, 'advance', { seconds: 3_000_000 }, store);
  await untilExplained(site, late, is('expired'), store);
  const { rows } = await site.database.pool.query<{ moved: boolean }>(
    'select created_at > expires_at as moved from invoices where trans_id = any($1)',
    [[transId, late]],
  );
  expect(rows.map(({ moved }) => moved)).toEqual([true, true]);
  expect([await createdAt(transId), await createdAt(late)]).toEqual(made);
  expect(await findLedgerFaults(site.database.queries, 10)).toEqual([]);
});

/** Actions of a plan that are due later than a test waits: a removed payment returns after a minute. */
const LATER_ACTS: Partial<Record<string, number>> = { reorg_after: 1 };

test.each(SCENARIOS.map((scenario, place) => [scenario, `25.${String(place + 1).padStart(8, '0')}`]))(
  'the magic amount of %s is played by itself',
  async (scenario, amount) => {
    const store = await newStore();
    const transId = await createTestInvoice(site, amount, store);
    const later = LATER_ACTS[scenario] ?? 0;
    const isPlayed = ({ acts }: Explanation) =>
      acts.length > 0 && acts.filter(({ done }) => done === undefined).length === later;
    const explained = await untilExplained(site, transId, isPlayed, store);
    expect(explained.acts.filter(({ done }) => done === false)).toEqual([]);
  },
);

test('a magic amount is played by a repeated request when the API died before it could ask for the acts, and once', async () => {
  const store = await newStore();
  const fields = { merchant_id: store.merchantId, amount: '25.00000001', request_id: 'order-1' };
  // The dead process left the invoice without actions.
  const transId = await createMakeInvoice(site.as('api'))(await admitStore(site.as('api'), store), systemClock, fields);
  await setPrices(site.database);
  for (let requests = 0; requests < 3; requests += 1) {
    const { body } = await askSandbox(site, store, '/payment/crypto', fields);
    expect(body.data).toMatchObject({ trans_id: transId });
  }
  const explained = await untilExplained(site, transId, is('completed'), store);
  expect(explained.acts).toHaveLength(1);
});

test('a test invoice is cancelled, and what is paid afterwards goes to the inbox as cancelled', async () => {
  const transId = await createTestInvoice(site, '25.00000014');
  expect(await untilExplained(site, transId, hasCancelledMoney)).toMatchObject({ status: 'expired', late: false });
});
