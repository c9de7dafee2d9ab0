import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { VISITOR } from '../../rig/stores/open-store.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { stopClockAt } from '../../rig/site/api-site.ts';
import { setPrices } from '../../rig/site/market.ts';
import { LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { USUAL_METHODS } from '../../src/sandbox/usual-method.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Test invoices that a new merchant creates and pays with only the dashboard. A real worker performs them. */

const WORKER_SETTINGS = { COUNTERFOIL_POLL_MS: '50', COUNTERFOIL_LOG_LEVEL: 'error', ...NO_PRICES };
const SOON = { timeout: 60_000, interval: 50 };

let site: DashboardSite;
let owner: RigMember;
let store: string;
let worker: WorkerProcess;
beforeAll(async () => {
  // With a stopped clock an answer waits until the worker has performed the action.
  const settings = { COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code, ...stopClockAt(systemClock.nowMs()) };
  site = await openDashboardSite(inject('template'), settings);
  // The plan of new stores comes with this store, of another merchant.
  await openStore(site.database, { ring: await openKeyRing(site.path) });
  owner = await makeMember(site, 'owner');
  store = await makeStore('test');
  worker = await startWorker(site.url, WORKER_SETTINGS);
});
afterAll(async () => {
  await worker.stop();
  await site.close();
});

const send = (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${owner.account}${path}`, body);

async function done(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await send(method, path, body);
  expect({ method, path, status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body.data ?? {};
}

async function makeStore(mode: 'live' | 'test'): Promise<string> {
  return String((await done('POST', '/stores', { name: 'Coffee', mode }))['merchant_id']);
}

let amount = 10;

/** An invoice of a unique amount, so that a wrong payment is distinguishable. */
async function makeInvoice(): Promise<string> {
  await setPrices(site.database);
  amount += 10;
  return String((await done('POST', `/stores/${store}/invoices`, { amount: String(amount) }))['trans_id']);
}

const pay = (transId: string, scenario: string, by = owner) =>
  send('POST', `/invoices/${transId}/test-payment`, { scenario }, by);

/** Tries to have the invoice of a live store paid by a test payer. */
async function payLive(): Promise<{ transId: string; error: string | undefined }> {
  const { merchantAccountId, merchantId } = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const { person, account } = await makeMember(site, 'owner', { merchantAccountId, account: '' });
  const of = `/accounts/${account}`;
  const made = await person.browser.send('POST', `${of}/stores/${merchantId}/invoices`, { amount: '25' });
  const transId = String(made.body.data?.['trans_id']);
  const answer = await person.browser.send('POST', `${of}/invoices/${transId}/test-payment`, { scenario: 'pay' });
  return { transId, error: answer.body.error_code };
}

type History = { invoice: { status: string; late: boolean }; transfers: { reason: string | null; pays: boolean }[] };

async function outcomeOf(transId: string) {
  const { invoice, transfers } = (await done('GET', `/invoices/${transId}`)) as History;
  return { status: invoice.status, reasons: transfers.map(({ reason }) => reason ?? 'pays').toSorted() };
}

const switchMerchant = (active: boolean) =>
  site.database.pool.query('update merchants set active = $2 where code = $1', [owner.account, active]);

type StoredAct = { kind: string; isDone: boolean };

async function actsOf(transId: string): Promise<StoredAct[]> {
  const { rows } = await site.database.pool.query<StoredAct>(
    `select a.act ->> 'kind' as kind, a.done_at is not null as "isDone"
     from sandbox_acts a join invoices i on i.id = a.invoice_id where i.trans_id = $1`,
    [transId],
  );
  return rows;
}

const quotesOf = (transId: string) =>
  site.database.pool.query('select q.* from quotes q join invoices i on i.id = q.invoice_id where i.trans_id = $1', [
    transId,
  ]);

/** Answers of ten requests of which five pass. */
const fiveAnd = (code: string) => [...Array.from({ length: 5 }, () => '200'), ...Array.from({ length: 5 }, () => code)];

describe('a test payment', () => {
  test.each([
    ['pay', 'completed', ['pays']],
    ['short', 'waiting', ['short']],
    ['twice', 'completed', ['already_paid', 'pays']],
    ['over', 'waiting', ['over']],
    ['late', 'expired', ['late']],
    ['expire', 'expired', []],
  ])('played as %s by somebody who chose no payment method ends %s', async (scenario, status, reasons) => {
    const transId = await makeInvoice();
    const answer = await pay(transId, scenario);
    const acts = answer.body.data?.['acts'] as { act: string; done: boolean }[];
    expect(acts.map((one) => one.done)).toEqual(acts.map(() => true));
    await expect.poll(() => outcomeOf(transId), SOON).toEqual({ status, reasons });
  });

  test('is what the checklist of a new merchant asks for', async () => {
    const of = await makeMember(site, 'owner');
    const call = async (method: string, path: string, body?: unknown) =>
      (await of.person.browser.send(method, `/accounts/${of.account}${path}`, body)).body.data ?? {};
    const { merchant_id: code } = await call('POST', '/stores', { name: 'First', mode: 'test' });
    await setPrices(site.database);
    const { trans_id: transId } = await call('POST', `/stores/${String(code)}/invoices`, { amount: '3' });
    const steps = async () => {
      // The figures of today are counted once a minute.
      await site.database.pool.query(`update counted_days set counted_at = counted_at - interval '1 hour'`);
      return (await call('GET', '/home'))['steps'];
    };
    expect(await steps()).toMatchObject({ test_payment: false });
    await call('POST', `/invoices/${String(transId)}/test-payment`, { scenario: 'pay' });
    await expect.poll(steps, SOON).toMatchObject({ test_payment: true });
  });

  test('chooses once: an invoice that shows a payment method keeps it', async () => {
    const transId = await makeInvoice();
    await pay(transId, 'short');
    const again = await pay(transId, 'pay');
    expect(again.body.data).toMatchObject({ acts: [{ act: 'pay', done: true }] });
    await expect.poll(() => outcomeOf(transId), SOON).toMatchObject({ status: 'completed' });
    expect((await quotesOf(transId)).rows).toHaveLength(1);
  });

  test('that no price allows says so, and the invoice waits as before', async () => {
    const transId = await makeInvoice();
    expect((await pay(transId, 'prices')).status).toBe(200);
    const { body } = await pay(transId, 'pay');
    expect(body.data).toMatchObject({
      acts: [
        { act: 'choose', done: false, note: 'no payment method: price-unavailable' },
        { act: 'pay', done: false },
      ],
    });
    expect(await outcomeOf(transId)).toEqual({ status: 'waiting', reasons: [] });
    await site.database.pool.query(`update test_faults set prices_gone_until = '-infinity'`);
  });

  test('is audited with what was asked for', async () => {
    const transId = await makeInvoice();
    await pay(transId, 'short');
    const { rows } = await site.database.pool.query(
      `select actor, details from audit_entries where action = 'invoice.test' and subject = $1`,
      [`invoice:${transId}`],
    );
    expect(rows).toEqual([
      {
        actor: `person:${owner.person.code}`,
        details: { acts: [{ kind: 'choose' }, { kind: 'pay', payment: 'short', slow: false }] },
      },
    ]);
  });

  test('is refused in a live store, for a viewer, in a store that is switched off, and for what is no scenario', async () => {
    const real = await payLive();
    expect(real.error).toBe('STORE_NOT_FOR_TESTS');
    const transId = await makeInvoice();
    expect((await pay(transId, 'pay', await makeMember(site, 'viewer', owner))).body.error_code).toBe('NO_PERMISSION');
    expect((await pay(transId, 'steal')).status).toBe(400);
    expect((await pay('TID-0000000000000000', 'pay')).status).toBe(404);
    await done('POST', `/stores/${store}/activity`, { active: false });
    expect((await pay(transId, 'pay')).body.error_code).toBe('STORE_SWITCHED_OFF');
    await done('POST', `/stores/${store}/activity`, { active: true });
    const { rows } = await site.database.pool.query(
      'select from sandbox_acts a join invoices i on i.id = a.invoice_id where i.trans_id = any($1)',
      [[real.transId, transId]],
    );
    expect(rows).toEqual([]);
  });

  test('is refused while the merchant is switched off', async () => {
    const transId = await makeInvoice();
    await switchMerchant(false);
    const refused = await pay(transId, 'pay');
    await switchMerchant(true);
    expect(refused.body.error_code).toBe('STORE_SWITCHED_OFF');
    expect(await actsOf(transId)).toEqual([]);
  });

  test('is answered after the wait at the latest, also when no worker acts', async () => {
    const transId = await makeInvoice();
    await worker.stop();
    const server = await startDashboard(site.url, { COUNTERFOIL_KEY_RING_FILE: site.path });
    const browser = openBrowser({ server });
    browser.cookie = owner.person.browser.cookie;
    const path = `/accounts/${owner.account}/invoices/${transId}/test-payment`;
    const startedMs = performance.now();
    const { body } = await browser.send('POST', path, { scenario: 'pay', wait_seconds: 1 });
    const waitedMs = performance.now() - startedMs;
    await server.stop();
    worker = await startWorker(site.url, WORKER_SETTINGS);
    expect(body.data).toMatchObject({
      acts: [
        { act: 'choose', done: null },
        { act: 'pay', done: null },
      ],
    });
    expect(waitedMs).toBeGreaterThan(900);
    await expect.poll(() => outcomeOf(transId), SOON).toMatchObject({ status: 'completed' });
  });

  test('keeps the payment method that somebody chose before the worker did', async () => {
    const transId = await makeInvoice();
    // A worker would choose the first of the usual methods.
    const method = USUAL_METHODS.at(-1) ?? { network: '', token: '' };
    expect(method).not.toEqual(USUAL_METHODS[0]);
    const context = { networks: NETWORKS, database: site.database, clock: systemClock };
    expect(await selectPaymentMethod(context, VISITOR, { transId, ...method })).toMatchObject({ selected: true });
    const { rows: before } = await quotesOf(transId);
    expect(before).toHaveLength(1);
    await site.database.pool.query(
      `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at)
       select store_id, id, '{"kind": "choose"}', now(), now() from invoices where trans_id = $1`,
      [transId],
    );
    const waiting = async () => (await actsOf(transId)).filter(({ isDone }) => !isDone);
    await expect.poll(waiting, SOON).toEqual([]);
    expect((await quotesOf(transId)).rows).toEqual(before);
  });

  test('is one of twenty requests of its store in a second', async () => {
    const transId = await makeInvoice();
    const ask = async () => {
      const asked = { scenario: 'expire', wait_seconds: 0 };
      const { status, body } = await send('POST', `/invoices/${transId}/test-payment`, asked);
      return body.error_code ?? String(status);
    };
    await ask();
    await site.database.pool.query(
      `update admissions set burst_started_at = now() + interval '1 hour', burst_used = 15 where endpoint = 'sandbox'`,
    );
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    await site.database.pool.query('delete from admissions');
    expect(answers.toSorted()).toEqual(fiveAnd('TOO_MANY_REQUESTS'));
  });

  test('is one of fifty acts of its invoice, and one of three hundred requests of its store in a minute', async () => {
    const transId = await makeInvoice();
    const { pool } = site.database;
    const ask = async () => {
      const { status, body } = await send('POST', `/invoices/${transId}/test-payment`, {
        scenario: 'expire',
        wait_seconds: 0,
      });
      return body.error_code ?? String(status);
    };
    const askTen = async () => (await Promise.all(Array.from({ length: 10 }, ask))).toSorted();
    await ask();
    await pool.query(
      `update admissions set sustained_started_at = now() + interval '1 hour', sustained_used = 295 where endpoint = 'sandbox'`,
    );
    expect(await askTen()).toEqual(fiveAnd('TOO_MANY_REQUESTS'));
    await pool.query('delete from admissions');
    const statement = `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at, done_at, outcome)
      select store_id, id, '{"kind": "end"}', now(), now(), now(), '{"done": true}' from invoices, generate_series(1, $2)
      where trans_id = $1`;
    await pool.query(statement, [transId, 45 - 6]);
    expect(await askTen()).toEqual(fiveAnd('TOO_MANY_ACTS'));
  });
});
