import type { Role } from '@counterfoil/core/permission.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { StoreOptions, TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Invoices that people create, look for and look at in the dashboard. */

const MARKUP = '=<script>alert(1)</script>&"\'';

type Shop = { store: TestStore; account: string; owner: RigMember };

let site: DashboardSite;
/** One person is the owner of all shops, because signing in takes long. */
let person: RigMember['person'];

async function joinAs({ merchantAccountId }: TestStore, role: Role): Promise<void> {
  await site.database.pool.query(
    `insert into memberships (merchant_account_id, person_id, role, since) select $1, id, $3, now() from people where code = $2
     on conflict (merchant_account_id, person_id) do update set role = excluded.role`,
    [merchantAccountId, person.code, role],
  );
}

async function openShop(options: StoreOptions = {}): Promise<Shop> {
  const store = await openStore(site.database, { ring: await openKeyRing(site.path), ...options });
  const { merchantAccountId } = store;
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  const account = rows[0]?.code ?? '';
  await joinAs(store, 'owner');
  return { store, account, owner: { person, account, merchantAccountId } };
}

beforeAll(async () => {
  site = await openDashboardSite(inject('template'), { COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example' });
  ({ person } = await makeMember(site, 'owner'));
});
afterAll(() => site.close());

const create = ({ account, store, owner }: Shop, body: unknown) =>
  owner.person.browser.send('POST', `/accounts/${account}/stores/${store.merchantId}/invoices`, body);

const look = ({ account, owner }: Shop, path: string) =>
  owner.person.browser.send('GET', `/accounts/${account}${path}`);

async function created(at: Shop, body: Record<string, unknown>): Promise<string> {
  const { status, body: answer } = await create(at, body);
  expect(status).toBe(200);
  return String(answer.data?.['trans_id']);
}

const countOf = async (table: string, { store }: Shop) =>
  (await site.database.pool.query(`select from ${table} where store_id = $1`, [store.id])).rows.length;

describe('an invoice that a member creates', () => {
  test('is the one that the API would create, with its fee held, and names the member in the audit', async () => {
    const at = await openShop({ creditMicroUsd: 1_000_000n });
    const body = { amount: 12.5, name: MARKUP, request_id: '@order', callback_url: 'https://shop.example/x' };
    const { status, body: answer } = await create(at, body);
    expect({ status, data: answer.data }).toEqual({
      status: 200,
      data: {
        trans_id: expect.stringMatching(/^TID-/),
        status: 'waiting',
        amount: '12.50',
        currency: null,
        currency_amount: null,
        url_payment: `https://checkout.example/bill/${String(answer.data?.['trans_id'])}`,
        expires_in_minutes: 30,
        new: true,
      },
    });
    const { rows } = await site.database.pool.query(
      `select i.name, i.request_id, i.fee_micro_usd, l.kind, b.available_micro_usd, a.actor, a.action
       from invoices i join ledger_entries l on l.invoice_id = i.id join balances b on b.store_id = i.store_id
         join audit_entries a on a.subject = 'invoice:' || i.trans_id where i.trans_id = $1`,
      [answer.data?.['trans_id']],
    );
    expect(rows).toEqual([
      {
        name: MARKUP,
        request_id: '@order',
        fee_micro_usd: 62_500n,
        kind: 'hold',
        available_micro_usd: 937_500n,
        actor: `person:${at.owner.person.code}`,
        action: 'invoice.create',
      },
    ]);
  });

  test('is one for one request_id, however many ask at once, and is entered once', async () => {
    const at = await openShop();
    const asked = Array.from({ length: 6 }, () => create(at, { amount: '5', request_id: 'once' }));
    const answers = await Promise.all(asked);
    const codes = new Set(answers.map(({ body }) => body.data?.['trans_id']));
    expect(codes.size).toBe(1);
    expect(answers.filter(({ body }) => body.data?.['new'] === true)).toHaveLength(1);
    expect([await countOf('invoices', at), await countOf('ledger_entries', at)]).toEqual([1, 2]);
    const { rows } = await site.database.pool.query('select from audit_entries where subject = $1', [
      `invoice:${String([...codes][0])}`,
    ]);
    expect(rows).toHaveLength(1);
  });

  test('belongs to a test store as well, without a fee', async () => {
    const at = await openShop({ test: true, creditMicroUsd: 0n });
    expect((await create(at, { amount: '5' })).status).toBe(200);
    expect(await countOf('ledger_entries', at)).toBe(0);
  });
});

describe('an invoice is not created', () => {
  test.each<[string, StoreOptions, Record<string, unknown>, number, string]>([
    ['without a balance for its fee', { creditMicroUsd: 1n }, {}, 402, 'INSUFFICIENT_BALANCE'],
    ['without a payment method', { wallet: false }, {}, 409, 'NO_PAYMENT_METHOD'],
    [
      'with an insecure callback',
      { httpsCallbacksOnly: true },
      { callback_url: 'http://a.test' },
      400,
      'CALLBACK_UNFIT',
    ],
    ['with an amount of nothing', {}, { amount: '0' }, 400, 'VALIDATION_ERROR'],
    ['with a field that nobody knows', {}, { merchant_id: 'MID-1' }, 400, 'VALIDATION_ERROR'],
  ])('%s', async (_why, options, more, status, code) => {
    const at = await openShop(options);
    const answer = await create(at, { amount: '50', ...more });
    expect([answer.status, answer.body.error_code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain('balance"');
    expect(await countOf('invoices', at)).toBe(0);
  });

  test('more often than the plan of the store allows, counted together with the API', async () => {
    const at = await openShop({ plan: { code: 'two-a-minute', createBurst: 2, createSustained: 2 } });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await create(at, { amount: '5' })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('for a store that is switched off', async () => {
    const at = await openShop();
    await site.database.pool.query('update stores set active = false where id = $1', [at.store.id]);
    expect(await create(at, { amount: '5' })).toMatchObject({
      status: 409,
      body: { error_code: 'STORE_SWITCHED_OFF' },
    });
  });
});

async function addressOf({ store }: Shop): Promise<string> {
  const statement = 'select address from wallets where store_id = $1';
  const { rows } = await site.database.pool.query<{ address: string }>(statement, [store.id]);
  return rows[0]?.address ?? '';
}

/** Money for an invoice: a quote, the transfer that pays it, and everything that follows, as rows. */
async function pay(at: Shop, transId: string, address: string, txId: string): Promise<void> {
  await site.database.pool.query(
    `with quote as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       select id, 'BSC', 'USDT', $2, 5.10, 1, created_at, 5, 'safe', '[{"source":"a","usd":"1"}]', now()
       from invoices where trans_id = $1 returning id, invoice_id),
     transfer as (
       insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
         quote_id, invoice_id, read_by, read_how, proven_by, proven_how, proven_at)
       select 'BSC', $3, 'USDT:0', 'USDT', $4, $2, 5100000000000000000, 90, 'h', now(), now(), id, invoice_id, 'one', 'logs', 'two',
         'receipt', now() from quote returning id, quote_id, invoice_id, tx_id, from_address),
     chain as (
       insert into chains (network, height, hash, block_time, head_height, head_time) values ('BSC', 100, 'h', now(), 100, now())
       on conflict do nothing),
     named as (
       insert into named_transactions (invoice_id, network, tx_id, store_id, named_by)
       select invoice_id, 'BSC', $3, $5, 'payer' from quote),
     event as (
       insert into events (event_id, store_id, invoice_id, sequence, type, created_at)
       select 'evt_' || right($1, 8), $5, invoice_id, 1, 'invoice.completed', now() from quote returning id, invoice_id),
     endpoint as (
       insert into endpoints (store_id, url, host) values ($5, 'https://shop.example/?' || $1, 'shop.example') returning id),
     delivery as (
       insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
       select e.id, p.id, $5, e.invoice_id, 1, 'shop.example', now(), now() from event e, endpoint p returning id),
     attempt as (
       insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
       select now(), id, 1, 12, 500, '{}' from delivery)
     update invoices i set status = 'completed', quote_id = t.quote_id, paid_transfer_id = t.id, transaction_hash = t.tx_id,
       from_address = t.from_address, settled_at = now(), ended_at = now() from transfer t where i.id = t.invoice_id`,
    [transId, address, txId, SENDER, at.store.id],
  );
}

const kindsIn = (data: Record<string, unknown> | undefined) =>
  ((data?.['timeline'] ?? []) as { kind: string }[]).map(({ kind }) => kind);

const SENDER = '0x52908400098527886E0F7030069857D2E4169EE7';
const HASH = `0x${'ab'.repeat(32)}`;

describe('what is known of an invoice', () => {
  let at: Shop;
  let transId: string;
  let address: string;
  beforeAll(async () => {
    at = await openShop();
    const texts = { name: MARKUP, description: MARKUP, request_id: MARKUP };
    transId = await created(at, { amount: '5', ...texts, callback_url: 'https://shop.example' });
    address = await addressOf(at);
    await pay(at, transId, address, HASH);
  });

  test('is told with its evidence and in its order', async () => {
    const { status, body } = await look(at, `/invoices/${transId}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      invoice: { trans_id: transId, status: 'completed', name: MARKUP, description: MARKUP, request_id: MARKUP },
      quotes: [{ network: 'BSC', token_amount: '5.1', shown: true, price_sources: [{ source: 'a', usd: '1' }] }],
      transfers: [
        {
          transaction: HASH,
          token_amount: '5.1',
          confirmations: 11,
          completed: true,
          first_read: { by: 'one', how: 'logs' },
          proof: { by: 'two', how: 'receipt' },
        },
      ],
      named_transactions: [{ transaction: HASH, named_by: 'payer', outcome: null }],
      fees: [{ kind: 'hold', amount: '0.025' }],
      events: [{ type: 'invoice.completed' }],
      deliveries: [{ state: 'pending', attempts: [{ number: 1, status: 500 }] }],
      audit: [{ action: 'invoice.create', actor: at.owner.person.code }],
    });
    const kinds = kindsIn(body.data);
    expect(kinds.slice(0, 3)).toEqual(['created', 'fee_held', 'quoted']);
    expect(kinds.at(-1)).toBe('payable_until');
    const expected =
      'attempt audited completed created event fee_held payable_until quoted transaction_named transfer_proven transfer_seen';
    expect(kinds.toSorted().join(' ')).toBe(expected);
  });

  test.each<[Role, string[]]>([
    ['admin', []],
    ['developer', ['fees', 'audit']],
    ['finance', ['deliveries']],
    ['viewer', ['fees', 'deliveries', 'audit']],
  ])('is kept from %s where the role does not see it: %j', async (role, hidden) => {
    await joinAs(at.store, role);
    const { body } = await look(at, `/invoices/${transId}`);
    await joinAs(at.store, 'owner');
    const parts = ['fees', 'deliveries', 'audit'].filter((part) => body.data?.[part] === null);
    expect(parts).toEqual(hidden);
    const kinds = new Set(kindsIn(body.data));
    expect([kinds.has('fee_held'), kinds.has('attempt'), kinds.has('audited')]).toEqual(
      ['fees', 'deliveries', 'audit'].map((part) => !hidden.includes(part)),
    );
  });

  test('is found by whatever names it, and says what matched', async () => {
    const event = `evt_${transId.slice(-8)}`;
    const searches: [typed: string, matched: string[]][] = [
      [transId.toLowerCase(), ['trans_id']],
      [event, ['event']],
      [HASH.toUpperCase().replace('0X', ''), ['named_transaction', 'transaction']],
      [SENDER.toLowerCase(), ['sender']],
      [address, ['receiver']],
      [MARKUP, ['request_id']],
      [MARKUP.slice(0, 5), ['request_id_start']],
      ['order', []],
      ['evt_nothing', []],
    ];
    for (const [typed, matched] of searches) {
      const { body } = await look(at, `/search?q=${encodeURIComponent(typed)}`);
      const results = body.data?.['results'] as { matched: string; trans_id: string }[];
      expect({ typed, matched: results.map((one) => one.matched).toSorted() }).toEqual({ typed, matched });
      for (const result of results) expect(result.trans_id).toBe(transId);
    }
  });

  test('is not found at another merchant, not even by its own owner, and though the same sender paid there', async () => {
    const other = await openShop();
    const theirs = await created(other, { amount: '5' });
    await pay(other, theirs, await addressOf(other), `0x${'cd'.repeat(32)}`);
    for (const typed of [transId, `evt_${transId.slice(-8)}`, HASH, address, MARKUP]) {
      const { body } = await look(other, `/search?q=${encodeURIComponent(typed)}`);
      expect({ typed, data: body.data }).toEqual({ typed, data: { results: [] } });
    }
    const { body } = await look(other, `/search?q=${SENDER}`);
    expect(body.data?.['results']).toMatchObject([{ matched: 'sender', trans_id: theirs }]);
    expect((await look(other, `/invoices/${transId}`)).status).toBe(404);
    const changes = await look(other, `/changes?ids=${transId},${theirs}`);
    expect(changes.body.data?.['invoices']).toMatchObject([{ trans_id: theirs }]);
    const listed = await look(other, '/invoices');
    expect(listed.body.data?.['invoices']).toMatchObject([{ trans_id: theirs }]);
  });
});

describe('the audit of a merchant', () => {
  test('tells of the merchant, its stores and invoices, the newest first, and does not name operators', async () => {
    const at = await openShop();
    const transId = await created(at, { amount: '5' });
    const { body } = await look(at, '/audit');
    const entries = body.data?.['entries'] as { actor: string; action: string; subject: string }[];
    expect(entries[0]).toMatchObject({
      action: 'invoice.create',
      actor: at.owner.person.code,
      subject: `invoice:${transId}`,
    });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'store.create', actor: 'operator', subject: `store:${at.store.merchantId}` }),
    );
    expect(entries).toContainEqual(expect.objectContaining({ action: 'merchant.create', subject: 'merchant' }));
    expect(JSON.stringify(body.data)).not.toContain('cli:');
  });

  test('has pages without gaps or repeats', async () => {
    const at = await openShop();
    await site.database.pool.query(
      `insert into audit_entries (id, at, actor, action, subject, details)
       select (select max(id) from audit_entries) + n, now(), 'cli:test', 'store.brand', 'store:' || $1::bigint,
         jsonb_build_object('n', n, 'note', $2::text, 'requestedBy', 'cli:alice') from generate_series(1, 75) n`,
      [at.store.id, MARKUP],
    );
    const first = await look(at, '/audit');
    const second = await look(at, `/audit?after=${String(first.body.data?.['next'])}`);
    type Entry = { action: string; details: { n: number } };
    const entries = [first, second].flatMap(({ body }) => body.data?.['entries'] as Entry[]);
    const numbers = entries.filter(({ action }) => action === 'store.brand').map(({ details }) => details.n);
    expect(numbers).toEqual(Array.from({ length: 75 }, (_, n) => 75 - n));
    expect(entries[0]?.details).toEqual({ n: 75, note: MARKUP, requestedBy: 'operator' });
    expect(second.body.data?.['next']).toBeNull();
  });
});
