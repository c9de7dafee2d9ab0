import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invoiceListSchema } from '../../src/api/invoice-schemas.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Answer, Contract } from '../contract/contract-client.ts';
import {
  call,
  create,
  expectCreated,
  expectError,
  expectFound,
  expectInvalid,
  forgetWindows,
  lookup,
  openContract,
  setStatus,
} from '../contract/contract-client.ts';

/** The list of a store's invoices: newest first, or in the order of their changes. */

let contract: Contract;
let store: TestStore;
let other: TestStore;
/** Invoices of the store, oldest first. */
let codes: string[];

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
  other = await openStore(contract.database);
  await newInvoice(other);
  codes = [];
  for (let number = 0; number < 7; number += 1) {
    codes.push(await newInvoice(store, { request_id: `order-${number}`, metadata: { number: String(number) } }));
    if (number % 3 === 0) await newInvoice(other);
    await forgetWindows(contract.database);
  }
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const newInvoice = async (of: TestStore, fields: Record<string, unknown> = {}) =>
  expectCreated(await create(contract, of, fields)).data.trans_id;

const ask = (query: string, of = store) => call(contract, `/invoices${query}`, { key: of.apiKey });

function readPage(answer: Answer) {
  expect(answer).toMatchObject({ status: 200 });
  return invoiceListSchema.parse(JSON.parse(answer.text)).data;
}

const list = async (query = '', of = store) => readPage(await ask(query, of));
const codesOf = async (query: string, of = store) => (await list(query, of)).invoices.map((one) => one.trans_id);

async function idOf(transId: string): Promise<bigint> {
  const { rows } = await contract.database.pool.query<{ id: bigint }>('select id from invoices where trans_id = $1', [
    transId,
  ]);
  return rows[0]?.id ?? 0n;
}

const WHOLE = (name: string, least: number, most: number) => `${name} must be a whole number from ${least} to ${most}.`;

/** Sets the time of creation, as of an invoice made so long ago. */
async function makeOlder(transId: string, seconds: number): Promise<void> {
  await contract.database.pool.query(
    'update invoices set created_at = created_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2) where trans_id = $1',
    [transId, seconds],
  );
}

/** Expires an invoice by the writer of all statuses. `hold` runs before the commit. */
async function expire(transId: string, hold: () => Promise<void> = async () => {}): Promise<void> {
  const id = await idOf(transId);
  await inTransaction(contract.database, async (tx) => {
    await changeInvoices(tx, new Date(), [id], new Set([id]));
    await hold();
  });
}

describe('pages', () => {
  test('the newest invoice comes first, each as a lookup shows it, and none of another store', async () => {
    const { invoices, has_more: hasMore, next_cursor: next } = await list();
    expect(invoices.map((one) => one.trans_id)).toEqual(codes.toReversed());
    expect([hasMore, next]).toEqual([false, null]);
    const found = JSON.parse((await lookup(contract, store.apiKey, codes[6] ?? '')).text) as { data: unknown };
    expect(invoices[0]).toEqual(found.data);
    expect(invoices[0]?.metadata).toEqual({ number: '6' });
  });

  test('a cursor continues after the last invoice, also when newer ones were created meanwhile', async () => {
    const first = await list('?limit=3');
    expect([first.invoices.length, first.has_more]).toEqual([3, true]);
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    const third = await list(`?limit=3&cursor=${second.next_cursor}`);
    const all = [first, second, third].flatMap(({ invoices }) => invoices.map((one) => one.trans_id));
    expect(all).toEqual(codes.toReversed());
    expect([third.has_more, third.next_cursor]).toEqual([false, null]);
  });

  test('a store without invoices has an empty page', async () => {
    const empty = await openStore(contract.database);
    const page = { invoices: [], has_more: false, next_cursor: null };
    expect(await list('', empty)).toEqual(page);
    expect(await list('?changed_since=0', empty)).toEqual(page);
  });

  test('the cursor of another store is refused', async () => {
    expectInvalid(
      await ask(`?cursor=${codes[2]}`, other),
      'cursor',
      'cursor must be the next_cursor of a page of this store.',
    );
  });
});

describe('filters', () => {
  test.each(['waiting', 'processing', 'completed', 'expired'] as const)('status %s', async (status) => {
    const own = await openStore(contract.database);
    const made: string[] = [];
    for (const to of ['waiting', 'processing', 'completed', 'expired'] as const) {
      const transId = await newInvoice(own);
      if (to !== 'waiting') await setStatus(contract.database, transId, to);
      if (to === 'completed' || to === 'expired')
        await contract.database.pool.query('update invoices set ended_at = now() where trans_id = $1', [transId]);
      if (to === status) made.push(transId);
    }
    expect(await codesOf(`?status=${status}`, own)).toEqual(made);
    expect(await codesOf(`?status=${status}&limit=1`, own)).toEqual(made);
    expect(await codesOf(`?status=${status}&since=0&until=9999999999`, own)).toEqual(made);
    expect(await codesOf(`?status=${status}&until=1`, own)).toEqual([]);
  });

  test('since is inclusive and until is not, also for invoices of the same minute', async () => {
    const own = await openStore(contract.database);
    const made: string[] = [];
    for (let number = 0; number < 4; number += 1) made.push(await newInvoice(own));
    for (const [at, transId] of made.entries()) await makeOlder(transId, (4 - at) * 10_000 + (at % 2));
    const times = await Promise.all(
      made.map(async (transId) => {
        const { text } = await lookup(contract, own.apiKey, transId);
        return (JSON.parse(text) as { data: { created_at: number } }).data.created_at;
      }),
    );
    expect(await codesOf(`?since=${times[1]}`, own)).toEqual(made.slice(1).toReversed());
    expect(await codesOf(`?until=${times[2]}`, own)).toEqual(made.slice(0, 2).toReversed());
    expect(await codesOf(`?since=${times[1]}&until=${Number(times[2]) + 1}`, own)).toEqual([made[2], made[1]]);
    expect(await codesOf(`?since=${times[2]}&until=${times[1]}`, own)).toEqual([]);
  });

  test('request_id finds the invoice of an order, of its store only', async () => {
    expect(await codesOf('?request_id=order-3')).toEqual([codes[3]]);
    expect(await codesOf('?request_id=order-3&status=waiting&since=0')).toEqual([codes[3]]);
    expect(await codesOf('?request_id=order-3&status=expired')).toEqual([]);
    expect(await codesOf('?request_id=order-3', other)).toEqual([]);
    expect(await codesOf('?request_id=order')).toEqual([]);
  });

  test('empty parameters count as not supplied', async () => {
    expect(await codesOf('?status=&since=&until=&request_id=&cursor=&limit=&changed_since=')).toEqual(
      codes.toReversed(),
    );
  });

  const [STATUS, SECONDS] = ['status must be one of waiting, processing, completed, expired.', 253_402_300_799];
  test.each([
    ['?status=paid', 'status', STATUS],
    ['?status=waiting&status=expired', 'status', STATUS],
    ['?limit=0', 'limit', WHOLE('limit', 1, 100)],
    ['?limit=101', 'limit', WHOLE('limit', 1, 100)],
    ['?limit=1e1', 'limit', WHOLE('limit', 1, 100)],
    ['?since=-1', 'since', WHOLE('since', 0, SECONDS)],
    ['?since=2026-11-18', 'since', WHOLE('since', 0, SECONDS)],
    ['?until=999999999999', 'until', WHOLE('until', 0, SECONDS)],
    ['?changed_since=now', 'changed_since', WHOLE('changed_since', 0, SECONDS)],
    ['?cursor=1', 'cursor', 'cursor must be the next_cursor of a page of this store.'],
    ['?cursor=TID-0000000000000000', 'cursor', 'cursor must be the next_cursor of a page of this store.'],
    ['?request_id=%00', 'request_id', 'request_id is none of an invoice.'],
    [`?request_id=${'x'.repeat(256)}`, 'request_id', 'request_id is none of an invoice.'],
    ['?state=waiting', 'state', 'There is no such parameter.'],
    ['?changed_since=0&status=waiting', 'status', 'changed_since goes with limit and cursor alone.'],
    [
      '?changed_since=0&cursor=TID-0000000000000000',
      'cursor',
      'cursor must be the next_cursor of a page of this store.',
    ],
  ])('%s is refused', async (query, field, message) => {
    expectInvalid(await ask(query), field, message);
  });
});

describe('admission', () => {
  test.each([
    [undefined, 'MISSING_API_KEY'],
    ['cf_live_nobody', 'INVALID_API_KEY'],
  ] as const)('the key %s is refused', async (key, code) => {
    expectError(await call(contract, '/invoices', key === undefined ? {} : { key }), code);
  });

  test('other methods are refused', async () => {
    const answer = await call(contract, '/invoices', { method: 'POST', key: store.apiKey, body: '{}' });
    expectError(answer, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  test.each([
    ['burst', 5, 5, 'Too many requests per second.', 1],
    ['sustained', 0, 120, 'Rate limit exceeded. Maximum 120 requests per minute.', 60],
  ] as const)(
    'its own %s window limits it, and leaves lookups alone',
    async (exceeded, burst, sustained, message, wait) => {
      await contract.database.pool.query(
        `insert into admissions (bucket, endpoint, requested, burst_limit, burst_used, sustained_used, burst_started_at, sustained_started_at)
       values ($1, 'list', 0, 1, $2, $3, now() + interval '10 minutes', now() + interval '10 minutes')`,
        [`s${store.id}`, burst, sustained],
      );
      const answer = await ask('');
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        429,
        {
          status: 'error',
          message,
          error_code: 'RATE_LIMIT_EXCEEDED',
          limit_type: exceeded,
          retry_after_seconds: wait,
        },
      ]);
      expect((await lookup(contract, store.apiKey, codes[0] ?? '')).status).toBe(200);
    },
  );
});

describe('changed_since', () => {
  test('ended invoices come in the order in which they ended, and no open one', async () => {
    const own = await openStore(contract.database);
    const [first, second, third] = [await newInvoice(own), await newInvoice(own), await newInvoice(own)];
    await newInvoice(own);
    for (const transId of [second, third, first]) await expire(transId);
    expect(await codesOf('?changed_since=0', own)).toEqual([second, third, first]);
    const page = await list('?changed_since=0&limit=2', own);
    expect([page.invoices.map((one) => one.trans_id), page.has_more]).toEqual([[second, third], true]);
    expect(await codesOf(`?changed_since=0&cursor=${page.next_cursor}`, own)).toEqual([first]);
    expect(expectFound(await lookup(contract, own.apiKey, first)).status).toBe('expired');
  });

  test('the last cursor is kept: a later call with it returns what has changed since', async () => {
    const own = await openStore(contract.database);
    const [first, second] = [await newInvoice(own), await newInvoice(own)];
    await expire(first);
    const page = await list('?changed_since=0', own);
    expect([page.has_more, page.next_cursor]).toEqual([false, expect.stringMatching(/^\d+\.TID-/)]);
    expect(await list(`?changed_since=0&cursor=${page.next_cursor}`, own)).toMatchObject({
      invoices: [],
      next_cursor: null,
    });
    await expire(second);
    expect(await codesOf(`?changed_since=0&cursor=${page.next_cursor}`, own)).toEqual([second]);
  });

  test('it is a time: changes before it are left out', async () => {
    const own = await openStore(contract.database);
    const transId = await newInvoice(own);
    await expire(transId);
    const { rows } = await contract.database.pool.query<{ now: number }>(
      'select extract(epoch from now())::float8 as now',
    );
    const nowSeconds = Math.floor(rows[0]?.now ?? 0);
    expect(await codesOf(`?changed_since=${nowSeconds - 3_600}`, own)).toEqual([transId]);
    expect(await codesOf(`?changed_since=${nowSeconds + 3_600}`, own)).toEqual([]);
  });

  test('invoices that change in one transaction have positions of their own', async () => {
    const own = await openStore(contract.database);
    const made = [await newInvoice(own), await newInvoice(own), await newInvoice(own)];
    const ids = await Promise.all(made.map(idOf));
    await inTransaction(contract.database, (tx) => changeInvoices(tx, new Date(), ids, new Set(ids)));
    const seen: string[] = [];
    for (let cursor = 'changed_since=0'; seen.length < made.length;) {
      const page = await list(`?limit=1&${cursor}`, own);
      seen.push(...page.invoices.map((one) => one.trans_id));
      cursor = `changed_since=0&cursor=${page.next_cursor}`;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  test('a change that is not committed is not passed over by a later one, and delays no other store', async () => {
    const own = await openStore(contract.database);
    const [early, late] = [await newInvoice(own), await newInvoice(own)];
    const elsewhere = await newInvoice(other);
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const held = expire(early, () => {
      entered.resolve();
      return gate.promise;
    });
    await entered.promise;
    const later = expire(late);
    const isWaiting = async () => {
      const { rowCount } = await contract.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%store_positions%'`,
      );
      return rowCount === 1;
    };
    await waitUntil(isWaiting, { what: 'The later change does not wait.', timeoutMs: 60_000, pollMs: 20 });
    await expire(elsewhere);
    expect(await codesOf('?changed_since=0', own)).toEqual([]);
    gate.resolve();
    await Promise.all([held, later]);
    expect(await codesOf('?changed_since=0', own)).toEqual([early, late]);
    expect(await codesOf('?changed_since=0', other)).toContain(elsewhere);
  });

  test('after a failover that lost the newest positions, new changes still come after them', async () => {
    const own = await openStore(contract.database);
    const [first, second] = [await newInvoice(own), await newInvoice(own)];
    await expire(first);
    const { next_cursor: cursor } = await list('?changed_since=0', own);
    // As on a standby that never received the change.
    await contract.database.pool.query('delete from store_positions where store_id = $1', [own.id]);
    await contract.database.pool.query(
      `update invoices set change_position = null, status = 'waiting', ended_at = null where store_id = $1`,
      [own.id],
    );
    await expire(second);
    expect(await codesOf(`?changed_since=0&cursor=${cursor}`, own)).toEqual([second]);
  });

  test('a clock that goes back gives no position twice', async () => {
    const own = await openStore(contract.database);
    const [first, second] = [await newInvoice(own), await newInvoice(own)];
    await expire(first);
    await contract.database.pool.query(
      'update store_positions set position = position + 3600000000 where store_id = $1',
      [own.id],
    );
    await contract.database.pool.query(
      'update invoices set change_position = change_position + 3600000000 where store_id = $1 and change_position is not null',
      [own.id],
    );
    const { next_cursor: cursor } = await list('?changed_since=0', own);
    await expire(second);
    expect(await codesOf(`?changed_since=0&cursor=${cursor}`, own)).toEqual([second]);
  });
});
