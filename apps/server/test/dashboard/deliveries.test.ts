import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { makeEvent } from '../../rig/webhooks/make-event.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Webhooks as members see them and have them sent again, over HTTP. */

let site: DashboardSite;
let store: TestStore;
let owner: RigMember;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  const ring = await openKeyRing(site.path);
  store = await openStore(site.database, { ring });
  owner = await makeMember(site, 'owner', { merchantAccountId: store.merchantAccountId, account: '' });
});
afterAll(() => site.close());

type Listed = {
  delivery: string;
  event: string;
  store: string;
  state: string;
  last_attempt: { status: number } | null;
};
type Page = { deliveries: Listed[]; more: boolean; next: string | null };

const send = async (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${owner.account}${path}`, body);

async function list(query = '', by = owner): Promise<Page> {
  const { status, body } = await send('GET', `/deliveries${query}`, undefined, by);
  expect({ query, status }).toEqual({ query, status: 200 });
  return body.data as unknown as Page;
}

const eventsOf = ({ deliveries }: Page) => deliveries.map(({ event }) => event);
const auditOf = async (subject: string) => {
  const { rows } = await site.database.pool.query<{ action: string; actor: string; details: Record<string, unknown> }>(
    'select action, actor, details from audit_entries where subject = $1 order by id desc limit 1',
    [subject],
  );
  return rows[0];
};

const DAY_MS = 86_400_000;
/** Markup, and starts of formulas, in every text that strangers write. */
const MARKUP = '=HYPERLINK("x")<script>alert(1)</script>';

const make = (more: Parameters<typeof makeEvent>[2]) => makeEvent(site.database, store.id, more);
const seconds = (ms: number) => Math.floor(ms / 1_000);

describe('a list of deliveries', () => {
  const made: Record<string, string> = {};
  const old = new Date(Date.now() - 10 * DAY_MS);
  beforeAll(async () => {
    made['old'] = await make({ status: 200, at: old });
    made['good'] = await make({ status: 204 });
    made['refused'] = await make({ status: 404, state: 'failed', url: 'https://shop.example/other' });
    made['broken'] = await make({ status: 503, state: 'pending', type: 'invoice.expired' });
    made['silent'] = await make({ status: null, state: 'failed', error: MARKUP });
    made['untried'] = await make({ state: 'pending' });
  });

  test.each([
    ['', ['untried', 'silent', 'broken', 'refused', 'good', 'old']],
    ['?state=failed', ['silent', 'refused']],
    ['?state=pending', ['untried', 'broken']],
    ['?http=2xx', ['good', 'old']],
    ['?http=4xx', ['refused']],
    ['?http=5xx', ['broken']],
    ['?http=none', ['untried', 'silent']],
    ['?type=invoice.expired', ['broken']],
    ['?url=https://shop.example/other', ['refused']],
    [`?to=${seconds(Date.now() - 9 * DAY_MS)}`, ['old']],
    [`?from=${seconds(Date.now() - DAY_MS)}&state=failed`, ['silent', 'refused']],
    [`?from=${seconds(Date.now() - 8 * DAY_MS)}&to=${seconds(Date.now() - 7 * DAY_MS)}`, []],
  ])('asked for %s shows what was asked for, the newest first', async (query, names) => {
    expect(eventsOf(await list(query))).toEqual(names.map((name) => made[name]));
  });

  test.each([
    '?state=lost',
    '?http=6xx',
    '?after=x',
    '?from=-1',
    '?unknown=1',
    '?state=failed&state=pending',
    '?after=',
  ])('asked for %s is refused', async (query) => {
    expect((await send('GET', `/deliveries${query}`)).status).toBe(400);
  });

  test('of another store is as unknown as one that does not exist', async () => {
    const another = await openStore(site.database, { ring: await openKeyRing(site.path) });
    const answers = [];
    for (const code of [another.merchantId, 'MID-000000000000']) {
      const { status, body } = await send('GET', `/deliveries?store=${code}`);
      answers.push([status, JSON.stringify(body)]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
  });
});

/** Another store of the merchant of a store. */
async function addStore(storeId: bigint): Promise<bigint> {
  const { rows } = await site.database.pool.query<{ id: bigint }>(
    `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
     select merchant_account_id, 'MID-SECOND' || id, shard, 'Second', plan_id, now() from stores where id = $1 returning id`,
    [storeId],
  );
  return rows[0]?.id ?? 0n;
}

describe('pages', () => {
  let merchant: RigMember;
  let stores: [bigint, bigint];
  const ids: string[] = [];
  beforeAll(async () => {
    const first = await openStore(site.database, { ring: await openKeyRing(site.path) });
    merchant = await makeMember(site, 'owner', { merchantAccountId: first.merchantAccountId, account: '' });
    stores = [first.id, await addStore(first.id)];
    // Most events are of the first store, so that the second one's lie between pages.
    for (let event = 0; event < 120; event += 1) {
      const state = event % 3 === 0 ? 'failed' : 'delivered';
      ids.push(await makeEvent(site.database, stores[event % 40 === 0 ? 1 : 0], { status: 200, state }));
    }
  });

  async function walk(query: string, by: RigMember): Promise<{ seen: string[]; sizes: number[] }> {
    const [seen, sizes]: [string[], number[]] = [[], []];
    for (let after = ''; ;) {
      const { body } = await by.person.browser.send('GET', `/accounts/${merchant.account}/deliveries?${query}${after}`);
      const page = body.data as unknown as Page;
      seen.push(...eventsOf(page));
      sizes.push(page.deliveries.length);
      expect(page.more).toBe(page.next !== null);
      if (page.next === null) return { seen, sizes };
      after = `&after=${page.next}`;
    }
  }

  test('of fifty show every delivery of all stores once, in order', async () => {
    const { seen, sizes } = await walk('', merchant);
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual(ids.toReversed());
  });

  test('of a filter show every delivery that passes it once', async () => {
    const { seen } = await walk('state=failed', merchant);
    expect(seen).toEqual(ids.filter((_id, place) => place % 3 === 0).toReversed());
  });

  test('show a member who sees one store nothing of the others', async () => {
    const member = await makeMember(site, 'developer', merchant);
    const [, second] = stores;
    await site.database.pool.query(
      `with person as (update memberships m set all_stores = false from people p where p.id = m.person_id and p.code = $1
         returning m.merchant_account_id, m.person_id)
       insert into membership_stores (merchant_account_id, person_id, store_id) select merchant_account_id, person_id, $2 from person`,
      [member.person.code, second],
    );
    const { seen } = await walk('', member);
    expect(seen).toEqual(ids.filter((_id, place) => place % 40 === 0).toReversed());
    const hidden = await member.person.browser.send('GET', `/accounts/${merchant.account}/events/${ids[1]}`);
    expect(hidden.status).toBe(404);
  });
});

/** Inserts deliveries that members asked for today, all of the first event of a store. */
async function askedByHand(storeId: bigint, count: number, state: 'pending' | 'delivered'): Promise<void> {
  await site.database.pool.query(
    `insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at, by_hand)
     select d.event_row_id, d.endpoint_id, d.store_id, d.invoice_id, d.sequence, d.host, $3, 0, now(), now(), true
     from (select * from deliveries where store_id = $1 order by id limit 1) d, generate_series(1, $2)`,
    [storeId, count, state],
  );
}

describe('an event', () => {
  test('is shown as it was written, with what came back as data', async () => {
    const body = JSON.stringify({ name: MARKUP });
    const event = await makeEvent(site.database, store.id, {
      status: 500,
      state: 'failed',
      body,
      error: MARKUP,
      excerpt: MARKUP,
    });
    const answer = await send('GET', `/events/${event}`);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body.data).toMatchObject({
      event,
      store: store.merchantId,
      body,
      headers: { 'content-type': 'application/json', 'webhook-id': event },
      deliveries: [
        { state: 'failed', attempts: [{ number: 1, status: 500, error: MARKUP, excerpt: MARKUP, duration_ms: 7 }] },
      ],
    });
    expect(JSON.stringify(answer.body)).not.toContain('signature');
  });

  test('is sent again by whoever may, which is audited, and not while it is being sent', async () => {
    const event = await makeEvent(site.database, store.id, { status: 200 });
    expect(await send('POST', `/events/${event}/redeliver`, {})).toMatchObject({
      status: 200,
      body: { data: { redelivered: 1 } },
    });
    expect(await auditOf(`store:${store.id}`)).toMatchObject({
      action: 'webhook.redeliver',
      actor: `person:${owner.person.code}`,
      details: { eventId: event },
    });
    expect(await send('POST', `/events/${event}/redeliver`, {})).toMatchObject({
      status: 409,
      body: { error_code: 'EVENT_PENDING' },
    });
    const { deliveries } = (await send('GET', `/events/${event}`)).body.data as { deliveries: { by_hand: boolean }[] };
    expect(deliveries.map(({ by_hand }) => by_hand)).toEqual([true, false]);
  });

  test('is counted as sent again before it is sent: of twenty at once, as many as the day has room for', async () => {
    const shop = await openStore(site.database, { ring: store.ring });
    const member = await makeMember(site, 'owner', { merchantAccountId: shop.merchantAccountId, account: '' });
    // Not among the twenty, because events that are being sent already are refused for that.
    await makeEvent(site.database, shop.id, { status: 200 });
    await askedByHand(shop.id, 19_988, 'pending');
    const made = Array.from({ length: 20 }, () => makeEvent(site.database, shop.id, { status: 200 }));
    const events = await Promise.all(made);
    const redeliver = (event: string) =>
      member.person.browser.send('POST', `/accounts/${member.account}/events/${event}/redeliver`, {});
    const answers = await Promise.all(events.map(redeliver));
    const outcomes = answers.map(({ status, body }) => body.error_code ?? String(status)).toSorted();
    expect(outcomes).toEqual([
      ...Array.from({ length: 12 }, () => '200'),
      ...Array.from({ length: 8 }, () => 'TOO_MANY_REDELIVERIES'),
    ]);
  });
});

describe('a replay', () => {
  const at = new Date('2026-03-01T12:00:00Z');
  const replay = (dry_run: boolean, more = {}) =>
    send('POST', `/stores/${store.merchantId}/replay`, {
      from: at.getTime() / 1_000,
      to: at.getTime() / 1_000 + 60,
      dry_run,
      ...more,
    });

  test('is counted first, sends as many as were counted, and is audited once', async () => {
    for (let event = 0; event < 7; event += 1) await makeEvent(site.database, store.id, { status: 200, at });
    const counted = { redelivered: 7, erased: 0, pending: 0 };
    const before = await auditOf(`store:${store.id}`);
    expect((await replay(true)).body.data).toEqual(counted);
    expect(await auditOf(`store:${store.id}`)).toEqual(before);
    expect((await replay(false)).body.data).toEqual(counted);
    expect(await auditOf(`store:${store.id}`)).toMatchObject({
      action: 'webhook.redeliver',
      details: { redelivered: 7 },
    });
    expect((await replay(true)).body.data).toEqual({ redelivered: 0, erased: 0, pending: 7 });
    expect((await replay(false)).body.data).toEqual({ redelivered: 0, erased: 0, pending: 7 });
  });

  test('counts events that are too old to be sent against no budget', async () => {
    const shop = await openStore(site.database, { ring: store.ring });
    const member = await makeMember(site, 'owner', { merchantAccountId: shop.merchantAccountId, account: '' });
    for (let event = 0; event < 5; event += 1) await makeEvent(site.database, shop.id, { status: 200, at });
    const { pool } = site.database;
    await pool.query(
      'update events set body = null where store_id = $1 and id > (select min(id) from events where store_id = $1)',
      [shop.id],
    );
    // One less than they may.
    await askedByHand(shop.id, 19_999, 'delivered');
    const again = (dry_run: boolean) =>
      member.person.browser.send('POST', `/accounts/${member.account}/stores/${shop.merchantId}/replay`, {
        from: at.getTime() / 1_000,
        to: at.getTime() / 1_000 + 60,
        dry_run,
      });
    expect((await again(true)).body.data).toMatchObject({ redelivered: 1, erased: 4 });
    expect((await again(false)).body.data).toMatchObject({ redelivered: 1, erased: 4 });
    await pool.query(`update deliveries set state = 'delivered' where store_id = $1`, [shop.id]);
    expect((await again(false)).body.error_code).toBe('TOO_MANY_REDELIVERIES');
  });

  test.each([{ to: at.getTime() / 1_000 }, { to: at.getTime() / 1_000 + 32 * 86_400 }])(
    'of no time or of more than a month is refused',
    async (more) => {
      expect((await replay(true, more)).status).toBe(400);
    },
  );
});

describe('test events', () => {
  test('of one store are thirty an hour, however many are asked for at once', async () => {
    const { id, merchantId, merchantAccountId } = await openStore(site.database, { ring: store.ring });
    const { person, account } = await makeMember(site, 'developer', { merchantAccountId, account: '' });
    const path = `/accounts/${account}/stores/${merchantId}/webhook-test`;
    const ask = () => person.browser.send('POST', path, { url: 'https://shop.example/' });
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    const { rows } = await site.database.pool.query(`select from events where store_id = $1`, [id]);
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([30, 30]);
    expect(rows).toHaveLength(30);
  });

  test('of a store that takes https callbacks only do not go out in clear', async () => {
    const options = { ring: store.ring, httpsCallbacksOnly: true };
    const { id, merchantId, merchantAccountId } = await openStore(site.database, options);
    const { person, account } = await makeMember(site, 'developer', { merchantAccountId, account: '' });
    const ask = (body: unknown) =>
      person.browser.send('POST', `/accounts/${account}/stores/${merchantId}/webhook-test`, body);
    expect((await ask({ url: 'HTTP://shop.example/hook' })).body.error_code).toBe('CALLBACK_UNFIT');
    expect((await ask({ url: 'HTTPS://shop.example/hook' })).status).toBe(200);
    // An address from before the store asked for https.
    await site.database.pool.query(
      `insert into endpoints (store_id, url, host) values ($1, 'http://shop.example/old', 'x')`,
      [id],
    );
    expect((await ask({})).body.error_code).toBe('CALLBACK_UNFIT');
  });
});

const countStored = async () => {
  const { rows } = await site.database.pool.query(
    'select (select count(*) from events) as events, (select count(*) from endpoints) as endpoints',
  );
  return rows;
};

test.each([
  'https://user:word@shop.example/',
  'https://shop.example:22/',
  'https://shop.example:6379/',
  'http://127.0.0.1/',
  'http://169.254.169.254/latest',
  'http://localhost/',
])('a test event to %s is refused before anything is stored', async (url) => {
  const path = `/stores/${store.merchantId}/webhook-test`;
  const before = await countStored();
  const answer = await send('POST', path, { url });
  expect([answer.status, answer.body.error_code]).toEqual([400, 'CALLBACK_UNFIT']);
  expect(await countStored()).toEqual(before);
});

test('a test event is sent to an address that can be posted to, is audited, and has a bound', async () => {
  const path = `/stores/${store.merchantId}/webhook-test`;
  expect((await send('POST', path, { url: 'ftp://shop.example' })).body.error_code).toBe('CALLBACK_UNFIT');
  const { event } = (await send('POST', path, { url: 'https://shop.example/new' })).body.data as { event: string };
  expect((await send('GET', `/events/${event}`)).body.data).toMatchObject({
    type: 'webhook.test',
    invoice: null,
    deliveries: [{ url: 'https://shop.example/new', state: 'pending', attempts: [] }],
  });
  expect(await auditOf(`store:${store.id}`)).toMatchObject({ action: 'webhook.test', details: { eventId: event } });
  for (let sent = 0; sent < 30; sent += 1) await makeEvent(site.database, store.id);
  expect(await send('POST', path, {})).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_TEST_EVENTS' } });
});
