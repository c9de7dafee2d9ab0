import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { endWaits } from '../../rig/database/end-waits.ts';
import { attachAsked } from '../../rig/invoices/attach-asked.ts';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../rig/invoices/make-unmatched.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openBrowser, openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { enter, forgetStepUp } from '../../rig/people/make-person.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import { killWorkerAt } from '../../rig/processes/kill-worker-at.ts';
import { startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { stopClockAt } from '../../rig/site/api-site.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Money that pays nothing, over HTTP: what it may be for, and what members decide about it. A real worker attaches. */

let site: DashboardSite;
let store: TestStore;
let owner: RigMember;
/** A merchant whose lists only some tests look at. */
let another: { store: TestStore; member: RigMember };
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  await settleChain(site.database);
  ({ store, member: owner } = await openMerchant());
  another = await openMerchant();
});
afterAll(() => site.close());

async function openMerchant(): Promise<{ store: TestStore; member: RigMember }> {
  const opened = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const of = { merchantAccountId: opened.merchantAccountId, account: '' };
  return { store: opened, member: await makeMember(site, 'owner', of) };
}

type Shown = { transfer: string; suggestions: Record<string, unknown>[] } & Record<string, unknown>;
type Page = { transfers: Shown[]; more: boolean; next: string | null };

const send = (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${by.account}${path}`, body);

async function list(query = '', by = owner): Promise<Page> {
  const { status, body } = await send('GET', `/unmatched${query}`, undefined, by);
  expect(status).toBe(200);
  return body.data as unknown as Page;
}

const numbersOf = ({ transfers }: Page) => transfers.map(({ transfer }) => transfer);

/** An invoice of 50 USDT and 49 that arrived for it. */
async function payShort(at = store): Promise<{ transId: string; transfer: string }> {
  const { transId, quoteId, to } = await quoteInvoice(site.database, at, '50');
  return { transId, transfer: await receiveUnmatched(site.database, to, { amount: '49', quoteId }) };
}

const attach = (transfer: string, invoice: string, wait_seconds = 0, by = owner) =>
  send('POST', `/unmatched/${transfer}/attach`, { invoice, wait_seconds }, by);

const perform = () => attachAsked(site.as('worker'));

type Outcome = { status: string; events: number; attached_by: string | null; attachments: string[]; audit: string[] };

/** An invoice's status, number of events, and audit entries. */
async function outcomeOf(transId: string): Promise<Outcome> {
  const { rows } = await site.database.pool.query<Outcome>(
    `select i.status, (select count(*)::integer from events e where e.invoice_id = i.id) as events,
       (select t.attached_by from transfers t where t.id = i.paid_transfer_id) as attached_by,
       array(select a.state || coalesce(' ' || a.fault, '') from attachments a where a.invoice_id = i.id order by a.id) as attachments,
       array(select action from audit_entries where subject = 'invoice:' || i.trans_id order by id) as audit
     from invoices i where i.trans_id = $1`,
    [transId],
  );
  const [found] = rows;
  if (!found) throw new Error('The invoice is gone.');
  return found;
}

const byOwner = () => `person:${owner.person.code}`;
const COMPLETED = { status: 'completed', events: 1, attachments: ['done'], audit: ['transfer.ask', 'transfer.attach'] };

describe('a list of unmatched money', () => {
  test('has ranked suggestions with reasons and the exact difference, and texts as data', async () => {
    const { store: shop, member } = await openMerchant();
    const near = await quoteInvoice(site.database, shop, '52.5');
    const meant = await quoteInvoice(site.database, shop, '50.000123');
    const from = '=cmd|<script>alert(1)</script>';
    const transfer = await receiveUnmatched(site.database, meant.to, { amount: '49.5', quoteId: meant.quoteId, from });
    const { transfers } = await list('', member);
    expect(transfers).toMatchObject([
      {
        transfer,
        network: 'BSC',
        token: 'USDT',
        amount: '49.5',
        from,
        reason: 'short',
        invoice: meant.transId,
        note: null,
      },
    ]);
    expect(transfers[0]?.suggestions).toMatchObject([
      {
        invoice: meant.transId,
        store: shop.merchantId,
        reasons: ['meant_for', 'near_amount', 'open_then'],
        difference: '-0.500123',
      },
      { invoice: near.transId, reasons: ['near_amount', 'open_then'], difference: '-3' },
    ]);
  });

  test('names the order and the title of each suggested invoice', async () => {
    const { store: shop, member } = await openMerchant();
    const { transId, quoteId, to } = await quoteInvoice(site.database, shop, '50');
    const named = { name: 'Green coffee, 20 kg', request_id: 'W-2291' };
    await site.database.pool.query('update invoices set name = $2, request_id = $3 where trans_id = $1', [
      transId,
      ...Object.values(named),
    ]);
    await receiveUnmatched(site.database, to, { amount: '49', quoteId });
    expect((await list('', member)).transfers[0]?.suggestions).toMatchObject([{ invoice: transId, ...named }]);
  });

  test('has the claims of customers, of the own merchant alone', async () => {
    const { store: shop, member } = await openMerchant();
    const { transId, quoteId, to } = await quoteInvoice(site.database, shop, '50');
    const transfer = await receiveUnmatched(site.database, to, { amount: '49', quoteId });
    const foreign = await quoteInvoice(site.database, another.store, '50');
    for (const code of [transId, foreign.transId])
      await site.database.pool.query(
        `insert into named_transactions (invoice_id, network, tx_id, store_id, named_by)
         select i.id, t.network, t.tx_id, i.store_id, 'payer' from invoices i, transfers t where i.trans_id = $1 and t.id = $2`,
        [code, transfer],
      );
    const [shown] = (await list('', member)).transfers;
    expect(shown?.['claims']).toMatchObject([{ invoice: transId, status: 'waiting' }]);
    expect(shown?.suggestions[0]).toMatchObject({ reasons: ['meant_for', 'claimed', 'near_amount', 'open_then'] });
  });

  test('finds the invoice of somebody who sent the right number of another token', async () => {
    const { transId, to } = await quoteInvoice(site.database, store, '910.000777');
    await receiveUnmatched(site.database, to, { amount: '910.000777', token: 'USDC', reason: 'wrong_token' });
    const { transfers } = await list();
    expect(transfers[0]?.suggestions).toMatchObject([
      { invoice: transId, reasons: ['same_amount', 'other_token', 'open_then'], difference: null },
    ]);
  });

  test('has money in a token that this version does not know, without an amount', async () => {
    const { store: shop, member } = await openMerchant();
    const { to } = await quoteInvoice(site.database, shop, '50');
    const unknown = await receiveUnmatched(site.database, to, { amount: '1', token: 'GONE', reason: 'unknown' });
    const known = await receiveUnmatched(site.database, to, { amount: '2', reason: 'unknown' });
    const { transfers } = await list('', member);
    expect(transfers).toMatchObject([
      { transfer: known, amount: '2' },
      { transfer: unknown, token: 'GONE', amount: null, suggestions: [] },
    ]);
  });

  test('has pages of fifty, each transfer once, and none of another merchant', async () => {
    const { member } = another;
    const { to } = await quoteInvoice(site.database, another.store, '7');
    const made: string[] = [];
    for (let sent = 0; sent < 60; sent += 1)
      made.push(await receiveUnmatched(site.database, to, { amount: '1', reason: 'unknown' }));
    const first = await list('', member);
    expect(first.transfers).toHaveLength(50);
    const second = await list(`?after=${first.next}`, member);
    expect([...numbersOf(first), ...numbersOf(second)]).toEqual(made.toReversed());
    expect(second).toMatchObject({ more: false, next: null });
  });
});

describe('a search', () => {
  test('finds a transfer by the beginning of its hash and by its amount, and an invoice by title, order, code and amount', async () => {
    const { store: shop, member } = await openMerchant();
    const { transId, quoteId, to } = await quoteInvoice(site.database, shop, '4120.5');
    await site.database.pool.query('update invoices set name = $2, request_id = $3 where trans_id = $1', [
      transId,
      'Green coffee, 20 kg',
      'Order 1001',
    ]);
    const transfer = await receiveUnmatched(site.database, to, { amount: '4119.043518', quoteId });
    const { rows } = await site.database.pool.query<{ tx_id: string }>('select tx_id from transfers where id = $1', [
      transfer,
    ]);
    const find = async (typed: string, by = member) => {
      const { body } = await send('GET', `/search?q=${encodeURIComponent(typed)}`, undefined, by);
      const results = body.data?.['results'] as { transfer: string | null; trans_id: string | null }[];
      return results.map((one) => (one.transfer === null ? one.trans_id : `transfer ${one.transfer}`));
    };
    const hash = rows[0]?.tx_id ?? '';
    for (const typed of [hash, hash.slice(0, 16), '4119.04', '4119'])
      expect([typed, await find(typed)]).toEqual([typed, [`transfer ${transfer}`]]);
    for (const typed of ['green coffee', 'coff', 'Order 1001', '1001 green', transId.slice(0, 19), '4120'])
      expect([typed, await find(typed)]).toEqual([typed, [transId]]);
    for (const typed of [hash, hash.slice(0, 16), '4119.04', 'green coffee', '4120', transId]) {
      const found = await find(typed, another.member);
      expect([typed, found.includes(transId), found.includes(`transfer ${transfer}`)]).toEqual([typed, false, false]);
    }
  });
});

describe('money of another merchant', () => {
  test.each(['attach', 'dismiss', 'restore'])('answers %s with the same bytes as absent money', async (act) => {
    const foreign = await payShort(another.store);
    const mine = await payShort();
    const bodies: Record<string, unknown> = { attach: { invoice: mine.transId }, dismiss: { note: 'x' }, restore: {} };
    const answers = [];
    for (const transfer of [foreign.transfer, '999999999999', 'x', '9'.repeat(19)]) {
      const { status, body } = await send('POST', `/unmatched/${transfer}/${act}`, bodies[act]);
      answers.push([status, JSON.stringify(body)]);
    }
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]?.[0]).toBe(404);
  });

  test('is not attached to an own invoice, and own money not to an invoice of another', async () => {
    const [mine, foreign] = [await payShort(), await payShort(another.store)];
    expect((await attach(mine.transfer, foreign.transId)).status).toBe(404);
    expect((await attach(foreign.transfer, mine.transId)).status).toBe(404);
    const { rows } = await site.database.pool.query('select from attachments where transfer_id = any($1)', [
      [mine.transfer, foreign.transfer],
    ]);
    expect(rows).toEqual([]);
  });
});

describe('money that is put aside', () => {
  test('is hidden with its note, can be shown and taken back, and each act is audited', async () => {
    const { transfer } = await payShort();
    const note = '<img src=x onerror=alert(1)> not ours';
    expect((await send('POST', `/unmatched/${transfer}/dismiss`, { note })).status).toBe(200);
    expect(numbersOf(await list())).not.toContain(transfer);
    const hidden = (await list('?dismissed=yes')).transfers.find((one) => one.transfer === transfer);
    expect(hidden).toMatchObject({ note });
    expect((await send('POST', `/unmatched/${transfer}/dismiss`, { note })).body.error_code).toBe('TRANSFER_DISMISSED');
    expect((await send('POST', `/unmatched/${transfer}/restore`, {})).status).toBe(200);
    expect(numbersOf(await list())).toContain(transfer);
    expect((await send('POST', `/unmatched/${transfer}/restore`, {})).body.error_code).toBe('TRANSFER_NOT_DISMISSED');
    const { rows } = await site.database.pool.query(
      `select action, actor, details ->> 'note' as note from audit_entries
       where subject = $1 and action like 'transfer.%' order by id`,
      [`merchant:${store.merchantAccountId}`],
    );
    expect(rows).toEqual([
      { action: 'transfer.dismiss', actor: byOwner(), note },
      { action: 'transfer.restore', actor: byOwner(), note: null },
    ]);
  });
});

describe('a request to attach', () => {
  test('is told to the owners, once', async () => {
    const { transfer, transId } = await payShort();
    await Promise.all([attach(transfer, transId), attach(transfer, transId)]);
    const { rows } = await site.database.pool.query<{ data: Record<string, string> }>(
      `select data from mails where template = 'payment-attached' and data ->> 'invoice' = $1`,
      [transId],
    );
    expect(rows).toMatchObject([{ data: { store: store.merchantId, by: owner.person.code } }]);
    await perform();
  });

  test('needs a step-up, and one step-up serves several requests', async () => {
    const [first, second] = [await payShort(), await payShort()];
    await forgetStepUp(site, owner.person);
    expect(await attach(first.transfer, first.transId)).toMatchObject({
      status: 403,
      body: { error_code: 'STEP_UP_NEEDED' },
    });
    expect(await outcomeOf(first.transId)).toMatchObject({ attachments: [], audit: [] });
    await enter(site, owner.person);
    for (const { transfer, transId } of [first, second])
      expect(await attach(transfer, transId)).toMatchObject({ status: 200, body: { data: { state: 'asked' } } });
    await perform();
  });

  test('waits for a worker, can be asked about, and is the same request when it is repeated', async () => {
    const { transfer, transId } = await payShort();
    const asked = await Promise.all([attach(transfer, transId), attach(transfer, transId), attach(transfer, transId)]);
    const codes = new Set(asked.map(({ body }) => body.data?.['attachment']));
    expect(asked.map(({ body }) => body.data?.['state'])).toEqual(['asked', 'asked', 'asked']);
    expect(codes.size).toBe(1);
    const [code] = codes;
    expect((await send('GET', `/attachments/${String(code)}`)).body.data).toMatchObject({
      state: 'asked',
      invoice: transId,
    });
    expect((await list()).transfers.find((one) => one.transfer === transfer)).toMatchObject({ asked_for: transId });
    const other = await quoteInvoice(site.database, store, '50');
    expect((await attach(transfer, other.transId)).body.error_code).toBe('ATTACHMENT_WAITS');
    await Promise.all([perform(), perform(), perform()]);
    expect(await outcomeOf(transId)).toEqual({ ...COMPLETED, attached_by: byOwner() });
    expect((await attach(transfer, transId)).body.data).toMatchObject({ attachment: code, state: 'done' });
    expect((await attach(transfer, other.transId)).body.error_code).toBe('TRANSFER_PAYS_ALREADY');
    expect(numbersOf(await list())).not.toContain(transfer);
  });

  test('that a rule forbids when its turn comes is refused with the reason, and both are audited', async () => {
    const { transfer, transId } = await payShort();
    await attach(transfer, transId);
    await site.database.pool.query('update transfers set canonical = false where id = $1', [transfer]);
    await perform();
    expect(await outcomeOf(transId)).toEqual({
      status: 'waiting',
      events: 0,
      attached_by: null,
      attachments: ['refused TRANSFER_LEFT_CHAIN'],
      audit: ['transfer.ask', 'transfer.refuse'],
    });
  });

  test('never has money complete a second invoice, although it belongs to none any more', async () => {
    const [first, second] = [await payShort(), await quoteInvoice(site.database, store, '60')];
    await attach(first.transfer, first.transId);
    await perform();
    await site.database.pool.query(
      `update transfers set invoice_id = null, attached_by = null, quote_id = null, reason = 'unknown' where id = $1`,
      [first.transfer],
    );
    await attach(first.transfer, second.transId);
    await perform();
    expect(await outcomeOf(first.transId)).toMatchObject({ status: 'completed', attachments: ['done'] });
    expect(await outcomeOf(second.transId)).toMatchObject({
      status: 'waiting',
      attachments: ['refused TRANSFER_PAYS_ALREADY'],
    });
  });

  test('is one of a thousand in a day, however many are left at once and while workers settle', async () => {
    const { store: shop, member } = await openMerchant();
    const earlier = await payShort(shop);
    const { pool } = site.database;
    await pool.query(
      `insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, state, fault, asked_by, asked_at, next_try_at, decided_at)
       select 'ATT-EARLIER' || n, s.merchant_account_id, s.id, $2, i.id, 'refused', 'INVOICE_PAID', 'x', now(), now(), now()
       from generate_series(1, 993) n, stores s join invoices i on i.store_id = s.id where s.id = $1 and i.trans_id = $3`,
      [shop.id, earlier.transfer, earlier.transId],
    );
    const all: { transId: string; transfer: string }[] = [];
    for (let made = 0; made < 20; made += 1) all.push(await payShort(shop));
    const ask = () => Promise.all(all.map(({ transfer, transId }) => attach(transfer, transId, 0, member)));
    const [answers] = await Promise.all([ask(), perform(), perform()]);
    const outcomes = answers.map(({ status, body }) => body.error_code ?? String(status)).toSorted();
    expect(outcomes).toEqual([
      ...Array.from({ length: 7 }, () => '200'),
      ...Array.from({ length: 13 }, () => 'TOO_MANY_ATTACHMENTS'),
    ]);
    const { rows } = await pool.query('select from attachments where merchant_account_id = $1', [
      shop.merchantAccountId,
    ]);
    expect(rows).toHaveLength(1_000);
    // A repetition is the same request, which costs nothing.
    const again = await ask();
    expect(again.map(({ status }) => status)).toEqual(answers.map(({ status }) => status));
  });

  test('whose last try fails is given up, and an operator is told', async () => {
    const { transfer, transId } = await payShort();
    await attach(transfer, transId);
    await site.database.pool.query(
      `update attachments set tries = 13 where invoice_id = (select id from invoices where trans_id = $1)`,
      [transId],
    );
    // A lock that is not released in time represents any failure.
    const client = await site.database.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from transfers where id = $1 for update', [transfer]);
      await endWaits(site.database, perform());
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await outcomeOf(transId)).toMatchObject({ status: 'waiting', attachments: ['failed INTERNAL_ERROR'] });
    const { rows } = await site.database.pool.query(`select kind from alarms where subject = $1`, [
      `invoice:${transId}`,
    ]);
    expect(rows).toEqual([{ kind: 'attachment-failed' }]);
  });
});

test('real workers that are killed before and after the act attach what was asked for exactly once', async () => {
  const { transfer, transId } = await payShort();
  await attach(transfer, transId);
  const [found, performed] = findFailpoints(['attachment']);
  await killWorkerAt(site.url, found ?? '', {});
  expect(await outcomeOf(transId)).toMatchObject({ status: 'waiting', attachments: ['asked'] });
  await killWorkerAt(site.url, performed ?? '', {});
  const settings = { COUNTERFOIL_POLL_MS: '50', COUNTERFOIL_LOG_LEVEL: 'error', ...NO_PRICES };
  const worker = await startWorker(site.url, settings);
  // With a stopped clock an answer waits until the worker has decided.
  const patient = await startDashboard(site.url, {
    COUNTERFOIL_KEY_RING_FILE: site.path,
    ...stopClockAt(systemClock.nowMs()),
  });
  try {
    const again = await payShort();
    const browser = openBrowser({ server: patient });
    browser.cookie = owner.person.browser.cookie;
    const path = `/accounts/${owner.account}/unmatched/${again.transfer}/attach`;
    const answer = await browser.send('POST', path, { invoice: again.transId, wait_seconds: 3 });
    expect(answer.body.data).toMatchObject({ state: 'done', fault: null });
    expect(await outcomeOf(again.transId)).toMatchObject({ status: 'completed', events: 1 });
    expect(await outcomeOf(transId)).toEqual({ ...COMPLETED, attached_by: byOwner() });
  } finally {
    await patient.stop();
    await worker.stop();
  }
});
