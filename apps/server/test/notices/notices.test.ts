import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { StoreOptions, TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { quoteInvoice } from '../../rig/invoices/make-unmatched.ts';
import { SILENT } from '../../rig/jobs/job-fixture.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { dispatchUntil, openWebhookFixture, rowsOf } from '../../rig/webhooks/webhook-fixture.ts';
import { writeEvents } from '../../rig/webhooks/write-events.ts';
import { GATHERERS } from '../../src/mail-gatherers.ts';
import type { MailData, MailTemplate } from '../../src/mail/mail.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import { confirmMailSetup } from '../../src/mail/confirm-mail-setup.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { sweepNotices } from '../../src/notices/sweep-notices.ts';
import { createStore } from '../../src/stores/create-store.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';

/** Emails to members about their business: each fact once, and again only after it was over. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 1);
});
afterAll(() => fixture.close());

let store: TestStore;
beforeEach(async () => {
  fixture.receiver.mood = () => 'good';
  await fixture.database.pool.query(`truncate notices, notice_settings, mails;
    update endpoints set failures = 0, failing_since = null;
    update deliveries set state = 'failed' where state = 'pending';
    update stores set active = false;
    update transfers set reason = null;
    update exchange_accounts set key_expires_at = null;
    update api_keys set expires_at = 'infinity'`);
  const { ring } = fixture.stores[0] ?? { ring: undefined };
  store = await openStore(fixture.database, { ...(ring && { ring }) });
});

let people = 0;

/** A member of the store's merchant; returns the email address. */
async function member(role: Role, of = store): Promise<{ mail: string; code: string }> {
  people += 1;
  const mail = `${role}-${people}@acme.test`;
  const context = { database: fixture.database, clock: fixture.clock, jobs: undefined };
  const asked = { mail: { normal: mail, shown: mail }, name: role, language: 'en', operatorRole: null } as const;
  const { code } = await createPerson(context, TESTER, asked);
  await addMember(context, TESTER, { merchantAccountId: of.merchantAccountId, personCode: code, role });
  return { mail, code };
}

/** Has a member see some stores only. */
async function limit(code: string, storeIds: readonly bigint[]): Promise<void> {
  const { pool } = fixture.database;
  const ofPerson = 'person_id = (select id from people where code = $1)';
  await pool.query(`update memberships set all_stores = false where ${ofPerson}`, [code]);
  await pool.query(`delete from membership_stores where ${ofPerson}`, [code]);
  await pool.query(
    'insert into membership_stores select $1, p.id, s.id from people p, unnest($2::bigint[]) s (id) where p.code = $3',
    [store.merchantAccountId, storeIds, code],
  );
}

/** Another store of the same merchant, which receives at an address. */
async function openBeside(address: string): Promise<TestStore> {
  const { ring, merchantAccountId } = store;
  const context = { networks: NETWORKS, database: fixture.database, clock: fixture.clock, ring, jobs: undefined };
  const { merchantId, id } = await createStore(context, TESTER, {
    merchantAccountId,
    name: 'Beside',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
  const ref = await storeForOperator(context, TESTER, merchantId);
  await addWallet(context, TESTER, { store: ref, network: 'BSC', address, now: { reason: 'test' } });
  return { ...store, id, merchantId, ref };
}

const workerContext = () => ({ database: fixture.as('worker'), clock: fixture.clock, jobs: undefined });

async function sweep(): Promise<void> {
  await confirmMailSetup(workerContext());
  await sweepNotices(workerContext());
}

type Sent = { to: string; template: MailTemplate; data: MailData };

async function told(): Promise<Sent[]> {
  await fixture.database.pool.query('delete from mails');
  await sweep();
  return rowsOf<Sent>(
    fixture,
    `select to_address as "to", template, data from mails where template <> 'team-changed' order by id`,
  );
}

const templatesTold = async () => (await told()).map(({ template }) => template);
const readersTold = async () => [...new Set((await told()).map(({ to }) => to))].toSorted();

const gather = ({ template, data }: Sent) => {
  const context = { database: fixture.as('worker'), clock: fixture.clock, dashboardUrl: 'https://dashboard.example' };
  return GATHERERS[template](context, data, { normal: 'x@acme.test', shown: 'x@acme.test' });
};

const nothingDue = async () =>
  (
    await rowsOf(
      fixture,
      `select from deliveries where state = 'pending' and (next_attempt_at <= $1 or leased_until > now()) limit 1`,
      [new Date(fixture.clock.nowMs())],
    )
  ).length === 0;

/** Has an invoice end whose webhook goes to a path of the store's receiver, and sends what is due. */
async function send(path: string): Promise<void> {
  const url = `${fixture.receiver.url}/${store.id}/${path}`;
  const endpoint = { store, url, path: new URL(url).pathname };
  await writeEvents(fixture.database, fixture.clock, [{ endpoint, ending: 'expired' }], new Map());
  await dispatchUntil(fixture, nothingDue);
}

describe('a receiver of webhooks that fails', () => {
  test('is told after an hour, after a day, and once when it is back, however often somebody looks', async () => {
    await member('developer');
    fixture.receiver.mood = () => 'failing';
    await send('hook');
    expect(await templatesTold()).toEqual([]);
    fixture.clock.advance(HOUR_MS - MINUTE_MS);
    expect(await templatesTold()).toEqual([]);
    fixture.clock.advance(MINUTE_MS);
    const [first, ...others] = await told();
    expect(others).toEqual([]);
    expect(await gather(first as Sent)).toMatchObject({
      host: new URL(fixture.receiver.url).host,
      store: 'Test store',
      isLong: false,
    });
    expect(await templatesTold()).toEqual([]);
    fixture.clock.advance(23 * HOUR_MS);
    const [second, ...more] = await told();
    expect(more).toEqual([]);
    expect(await gather(second as Sent)).toMatchObject({ isLong: true });
    expect(await templatesTold()).toEqual([]);
    fixture.receiver.mood = () => 'good';
    await send('hook');
    const [back, ...rest] = await told();
    expect([back?.template, rest]).toEqual(['endpoint-back', []]);
    expect(await gather(back as Sent)).toEqual({
      merchant: 'Test merchant',
      store: 'Test store',
      host: new URL(fixture.receiver.url).host,
      at: new Date(fixture.clock.nowMs()),
    });
    // An email about a failure that has ended is dropped.
    expect(await gather(first as Sent)).toBeUndefined();
    expect(await templatesTold()).toEqual([]);
  });

  test('is told again when it fails again after it was back', async () => {
    await member('developer');
    for (const expected of [['endpoint-failing'], ['endpoint-failing']]) {
      fixture.receiver.mood = () => 'failing';
      await send('hook');
      fixture.clock.advance(HOUR_MS);
      expect(await templatesTold()).toEqual(expected);
      fixture.receiver.mood = () => 'good';
      await send('hook');
      expect(await templatesTold()).toEqual(['endpoint-back']);
    }
  });

  test('is told once, although the shop has an address for each order, and is back when a new order arrives', async () => {
    await member('developer');
    fixture.receiver.mood = () => 'failing';
    for (const path of ['order-1', 'order-2', 'order-3']) await send(path);
    fixture.clock.advance(HOUR_MS);
    expect(await templatesTold()).toEqual(['endpoint-failing']);
    fixture.receiver.mood = (path) => (path.endsWith('order-4') ? 'good' : 'failing');
    await send('order-4');
    expect(await templatesTold()).toEqual(['endpoint-back']);
    fixture.clock.advance(HOUR_MS);
    expect(await templatesTold()).toEqual([]);
  });

  test('is told although another host of the same store answers, and is not back because of it', async () => {
    await member('developer');
    const failingSince = new Date(fixture.clock.nowMs() - 2 * HOUR_MS);
    await fixture.database.pool.query(
      `insert into endpoints (store_id, url, host, failures, failing_since, answered_at)
       values ($1, 'https://one.test', 'one.test', 3, $2, null), ($1, 'https://two.test', 'two.test', 0, null, $3)`,
      [store.id, failingSince, new Date(fixture.clock.nowMs())],
    );
    const [first, ...others] = await told();
    expect([first?.template, others]).toEqual(['endpoint-failing', []]);
    expect(await gather(first as Sent)).toMatchObject({ host: 'one.test' });
    expect(await templatesTold()).toEqual([]);
  });

  test('is told once by three workers that look at the same moment', async () => {
    await member('developer');
    fixture.receiver.mood = () => 'failing';
    await send('hook');
    fixture.clock.advance(DAY_MS);
    await fixture.database.pool.query('delete from mails');
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    const mails = await rowsOf<{ template: string }>(fixture, `select template from mails`);
    expect(mails.map(({ template }) => template)).toEqual(['endpoint-failing', 'endpoint-failing']);
  });
});

/** A fact about webhooks and one about money. */
async function happen(): Promise<void> {
  const { pool } = fixture.database;
  await pool.query(
    `insert into endpoints (store_id, url, host, failures, failing_since) values ($1, 'https://shop.test', 'shop.test', 3, $2)`,
    [store.id, new Date(fixture.clock.nowMs() - 2 * HOUR_MS)],
  );
  await pool.query('update stores set low_balance_micro_usd = 5000000000 where id = $1', [store.id]);
}

describe('members', () => {
  test('are told by their role: developers of webhooks, finance of money, viewers of nothing', async () => {
    const roles = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;
    const mails = new Map<string, string>();
    for (const role of roles) mails.set((await member(role)).mail, role);
    await happen();
    const sent = await told();
    const of = (template: string) =>
      sent
        .filter((one) => one.template === template)
        .map(({ to }) => mails.get(to) ?? '')
        .toSorted();
    expect(of('endpoint-failing')).toEqual(['admin', 'developer', 'owner']);
    expect(of('low-balance')).toEqual(['admin', 'finance', 'owner']);
  });

  test('are not told what they have switched off, not even by a mail that waited meanwhile', async () => {
    const { code } = await member('owner');
    await happen();
    const first = await told();
    expect(first.map(({ template }) => template).toSorted()).toEqual(['endpoint-failing', 'low-balance']);
    const { pool } = fixture.database;
    await pool.query(`insert into notice_settings select $1, id, 'webhooks', false from people where code = $2`, [
      store.merchantAccountId,
      code,
    ]);
    const gathered = await Promise.all(first.map(async (one) => [one.template, (await gather(one)) !== undefined]));
    expect(Object.fromEntries(gathered)).toEqual({ 'endpoint-failing': false, 'low-balance': true });
    await pool.query('truncate notices');
    expect(await templatesTold()).toEqual(['low-balance']);
  });

  test('who are disabled, have left, or see other stores only are told nothing', async () => {
    const [disabled, gone, elsewhere, here] = [
      await member('owner'),
      await member('owner'),
      await member('owner'),
      await member('developer'),
    ];
    const { pool } = fixture.database;
    await pool.query('update people set disabled_at = now() where code = $1', [disabled?.code]);
    await pool.query('delete from memberships m using people p where p.id = m.person_id and p.code = $1', [gone?.code]);
    await limit(elsewhere.code, []);
    await limit(here.code, [store.id]);
    await happen();
    expect(await readersTold()).toEqual([here?.mail]);
  });

  test('who see a store no more are not sent a mail about it that waited', async () => {
    const { code } = await member('owner');
    await happen();
    const sent = await told();
    expect(sent.map(({ template }) => template).toSorted()).toEqual(['endpoint-failing', 'low-balance']);
    await limit(code, [store.id]);
    for (const mail of sent) expect(await gather(mail)).toBeDefined();
    await limit(code, []);
    for (const mail of sent) expect(await gather(mail)).toBeUndefined();
  });
});

const credit = (microUsd: number) =>
  fixture.database.pool.query('update balances set available_micro_usd = $2 where store_id = $1', [store.id, microUsd]);

const threshold = (microUsd: number) =>
  fixture.database.pool.query('update stores set low_balance_micro_usd = $2 where id = $1', [store.id, microUsd]);

/** A store with an empty balance, in its trial unless it has another plan, and its owner. */
async function openTrial(changes: Pick<StoreOptions, 'plan' | 'discountPercent'> = {}): Promise<void> {
  const { ring } = store;
  const plan = { code: 'trial', trialDays: 30 };
  store = await openStore(fixture.database, { ring, creditMicroUsd: 0n, plan, ...changes });
  await member('owner');
}

/** Sales of the store some days ago, for which no fee was charged. */
const sell = ({ daysAgo = 1, completed = 500 } = {}) =>
  fixture.database.pool.query(
    `insert into store_days (store_id, day, network, token, created, completed, fee_micro_usd)
     values ($1, $2::timestamptz::date, 'BSC', 'USDT', 500, $3, 0)`,
    [store.id, new Date(fixture.clock.nowMs() - daysAgo * DAY_MS), completed],
  );

describe('a balance that runs low', () => {
  test('is told before no invoice can be created any more', async () => {
    await member('finance');
    await credit(1_100_000);
    await threshold(1_000_000);
    const make = createMakeInvoice(fixture.as('api'));
    let created = 0;
    const createOne = async () => {
      created += 1;
      const body = { amount: '50', request_id: `low-${store.id}-${created}`, merchant_id: store.merchantId };
      await make(await admitStore(fixture.as('api'), store), fixture.clock, body);
    };
    expect(await templatesTold()).toEqual([]);
    await createOne();
    const sent = await told();
    expect(sent.map(({ template }) => template)).toEqual(['low-balance']);
    expect(await gather(sent[0] as Sent)).toMatchObject({ amount: '0.85', store: 'Test store' });
    for (let more = 0; more < 3; more += 1) await createOne();
    await expect(createOne()).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  test('is told once while it goes up and down around the threshold, and again after it has recovered', async () => {
    await member('owner');
    await threshold(1_000_000);
    await credit(999_999);
    expect(await templatesTold()).toEqual(['low-balance']);
    for (const microUsd of [1_000_000, 999_999, 1_249_999, 0]) {
      await credit(microUsd);
      expect(await templatesTold()).toEqual([]);
    }
    await credit(1_250_000);
    expect(await templatesTold()).toEqual([]);
    await credit(999_999);
    expect(await templatesTold()).toEqual(['low-balance']);
  });

  test('is not told by a mail that waited until it had recovered', async () => {
    await member('owner');
    await threshold(1_000_000);
    await credit(999_999);
    const [mail] = await told();
    expect(await gather(mail as Sent)).toMatchObject({ amount: '0.999999' });
    await credit(2_000_000);
    expect(await templatesTold()).toEqual([]);
    expect(await gather(mail as Sent)).toBeUndefined();
  });

  test('is judged by the fees of the last days where nobody chose a threshold', async () => {
    await member('owner');
    await credit(2_000_000);
    expect(await templatesTold()).toEqual([]);
    await fixture.database.pool.query(
      `insert into store_days (store_id, day, network, token, completed, fee_micro_usd) values ($1, $2::timestamptz::date, 'BSC', 'USDT', 1, 7000000)`,
      [store.id, new Date(fixture.clock.nowMs() - DAY_MS)],
    );
    expect(await templatesTold()).toEqual(['low-balance']);
  });

  test('is told to a store that sells in its trial with an empty balance, although no fee was charged', async () => {
    await openTrial();
    await sell();
    expect(await templatesTold()).toEqual(['low-balance']);
    expect(await templatesTold()).toEqual([]);
  });

  test('is not told to an idle store with an empty balance', async () => {
    await openTrial();
    expect(await templatesTold()).toEqual([]);
    await sell({ daysAgo: 8 });
    await sell({ completed: 0 });
    expect(await templatesTold()).toEqual([]);
  });

  test.each(['free plan', 'full discount'])('is not told to a store that pays no fees: %s', async (why) => {
    const free = why === 'free plan';
    await openTrial(free ? { plan: { code: 'free', feeRatePercent: '0' } } : { discountPercent: '100' });
    await sell();
    expect(await templatesTold()).toEqual([]);
  });
});

/** Puts all money at the store's address aside. */
const dismiss = () =>
  fixture.database.pool.query(
    `insert into dismissed_transfers (transfer_id, merchant_account_id, note, dismissed_by, dismissed_at)
     select t.id, $1, 'ours', 'x', now() from transfers t join wallets w on w.address = t.to_address where w.store_id = $2`,
    [store.merchantAccountId, store.id],
  );

describe('money that pays no invoice', () => {
  let arrived = 0;
  async function arrive(count: number, at = store, quoteId: bigint | null = null): Promise<void> {
    arrived += 1;
    await fixture.database.pool.query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
         reason, quote_id)
       select w.network, 'un-' || $2::integer || '-' || n, 'USDT:0', 'USDT', 'payer', w.address, 5, 1, '0x', $3, $3, 'short', $5
       from wallets w, generate_series(1, $4) n where w.store_id = $1`,
      [at.id, arrived, new Date(fixture.clock.nowMs()), count, quoteId],
    );
  }

  test('is told in one mail for all of it, at most once an hour', async () => {
    await member('finance');
    await arrive(2);
    const sent = await told();
    expect(sent.map(({ template }) => template)).toEqual(['unmatched-money']);
    expect(await gather(sent[0] as Sent)).toMatchObject({ count: 2, merchant: 'Test merchant' });
    await arrive(1);
    fixture.clock.advance(HOUR_MS - 1);
    expect(await told()).toEqual([]);
    fixture.clock.advance(1);
    expect((await told()).map(({ data }) => data['count'])).toEqual(['1']);
    fixture.clock.advance(2 * HOUR_MS);
    expect(await told()).toEqual([]);
  });

  test('is told, all of it, however much of it came in one hour', async () => {
    await member('owner');
    await arrive(30);
    const [mail] = await told();
    expect(await gather(mail as Sent)).toMatchObject({ count: 30 });
    await arrive(25);
    fixture.clock.advance(HOUR_MS);
    expect((await told()).map(({ data }) => data['count'])).toEqual(['25']);
    const rows = await rowsOf(fixture, 'select from notices where merchant_account_id = $1', [store.merchantAccountId]);
    expect(rows).toHaveLength(55);
  });

  test('is not told when somebody has put it aside, not even by a mail that waited meanwhile', async () => {
    await member('owner');
    await arrive(1);
    const [mail] = await told();
    await dismiss();
    expect(await gather(mail as Sent)).toBeUndefined();
    await fixture.database.pool.query('truncate notices');
    expect(await told()).toEqual([]);
  });

  test('is told to a member of one store when it came to that store, not to others', async () => {
    const [one, both] = [await member('finance'), await member('finance')];
    const beside = await openBeside(nextAddress());
    await limit(one.code, [store.id]);
    await limit(both.code, [store.id, beside.id]);
    await arrive(1);
    await arrive(4, beside);
    const sent = await told();
    const mailTo = (mail: string) => sent.find(({ to }) => to === mail) as Sent;
    expect(sent).toHaveLength(2);
    for (const [{ mail, code }, count] of [[one, 1] as const, [both, 5] as const]) {
      expect([code, mailTo(mail).data['count']]).toEqual([code, String(count)]);
      expect(await gather(mailTo(mail))).toMatchObject({ count });
    }
    // A delayed email contains what its reader sees when it is sent.
    await limit(both.code, [beside.id]);
    expect(await gather(mailTo(both.mail))).toMatchObject({ count: 4 });
    await limit(both.code, []);
    expect(await gather(mailTo(both.mail))).toBeUndefined();
  });

  test('is told to members of the store that it was meant for, where two stores receive at one address', async () => {
    const { code } = await member('finance');
    const { quoteId, to } = await quoteInvoice(fixture.database, store, '50');
    const beside = await openBeside(to);
    await limit(code, [beside.id]);
    await arrive(1, store, quoteId);
    expect(await told()).toEqual([]);
    await fixture.database.pool.query('truncate notices');
    await limit(code, [store.id]);
    expect((await told()).map(({ data }) => data['count'])).toEqual(['1']);
  });

  test('is not told when it is older than a week', async () => {
    await member('finance');
    await arrive(1);
    fixture.clock.advance(7 * DAY_MS);
    expect(await told()).toEqual([]);
  });
});

describe('a key that is about to end', () => {
  test('is told a day before its end, once, with its end', async () => {
    await member('developer');
    const endsAt = new Date(Math.floor(fixture.clock.nowMs() / 1_000) * 1_000 + DAY_MS + HOUR_MS);
    await fixture.database.pool.query('update api_keys set expires_at = $2 where store_id = $1', [store.id, endsAt]);
    expect(await told()).toEqual([]);
    fixture.clock.advance(HOUR_MS);
    const sent = await told();
    expect(sent.map(({ template }) => template)).toEqual(['api-key-ending']);
    expect(await gather(sent[0] as Sent)).toMatchObject({ endsAt, hint: store.apiKey.slice(-4) });
    expect(await told()).toEqual([]);
    fixture.clock.advance(2 * DAY_MS);
    expect(await told()).toEqual([]);
    expect(await gather(sent[0] as Sent)).toBeUndefined();
  });

  test('of an exchange account is told two weeks before, and a new key with another end is another fact', async () => {
    const { code } = await member('owner');
    const { pool } = fixture.database;
    const account = `uid-${store.id}`;
    const endIn = (days: number) => new Date(fixture.clock.nowMs() + days * DAY_MS);
    await pool.query(
      `insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
         is_sub_account, key_expires_at, added_at, checked_at, check_due_at)
       select 'EXCHANGE_PAY:BINANCE', $1, $2, (select min(id) from secrets), 'https://x.test', 'abcd', true, true, $3, now(), now(), now()`,
      [account, store.merchantAccountId, endIn(15)],
    );
    expect(await told()).toEqual([]);
    fixture.clock.advance(DAY_MS);
    const sent = await told();
    expect(sent.map(({ template }) => template)).toEqual(['exchange-key-ending']);
    expect(await gather(sent[0] as Sent)).toMatchObject({ network: 'EXCHANGE_PAY:BINANCE', account });
    await limit(code, [store.id]);
    expect(await gather(sent[0] as Sent)).toBeUndefined();
    await pool.query(
      'update memberships set all_stores = true where person_id = (select id from people where code = $1)',
      [code],
    );
    expect(await told()).toEqual([]);
    await pool.query('update exchange_accounts set key_expires_at = $2 where account = $1', [account, endIn(7)]);
    expect(await templatesTold()).toEqual(['exchange-key-ending']);
  });
});

describe('where email is not set up', () => {
  test('nothing is told, and a worker tells it when email is set up', async () => {
    await member('owner');
    await threshold(2_000_000_000);
    await fixture.database.pool.query('delete from mails; delete from mail_setup');
    await sweepNotices(workerContext());
    expect(await rowsOf(fixture, 'select kind from notices')).toEqual([]);
    expect(await rowsOf(fixture, 'select template from mails')).toEqual([]);
    expect(await templatesTold()).toEqual(['low-balance']);
  });

  test('a worker without a mail server queues what it tells when another process has one', async () => {
    const jobs = await openJobs(fixture.as('worker'), SILENT);
    await member('owner');
    await threshold(2_000_000_000);
    await fixture.database.pool.query('delete from mails');
    await confirmMailSetup({ database: fixture.as('dashboard'), clock: fixture.clock });
    await sweepNotices({ ...workerContext(), jobs });
    await jobs.close();
    expect(await rowsOf(fixture, 'select template, state from mails')).toEqual([
      { template: 'low-balance', state: 'queued' },
    ]);
    expect(await rowsOf(fixture, `select name from pgboss.job where state = 'created'`)).toEqual([
      { name: 'send-mail' },
    ]);
  });
});

test('nothing is told of test stores', async () => {
  const { ring } = store;
  store = await openStore(fixture.database, { test: true, ring });
  await member('owner');
  const { pool } = fixture.database;
  await pool.query(
    `insert into endpoints (store_id, url, host, failures, failing_since) values ($1, 'https://shop.test', 'shop.test', 3, $2)`,
    [store.id, new Date(fixture.clock.nowMs() - 2 * DAY_MS)],
  );
  await pool.query('update stores set low_balance_micro_usd = 5000000000 where id = $1', [store.id]);
  await pool.query('update api_keys set expires_at = $2 where store_id = $1', [
    store.id,
    new Date(fixture.clock.nowMs() + 1_000),
  ]);
  expect(await told()).toEqual([]);
});
