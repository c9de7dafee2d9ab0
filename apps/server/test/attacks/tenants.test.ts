import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Reply, Target } from './attack-client.ts';
import { create, lookup, openTarget, post, send, transIdOf } from './attack-client.ts';

let target: Target;
let tenants: [TestStore, TestStore];

beforeAll(async () => {
  target = await openTarget();
  tenants = [await openStore(target.database), await openStore(target.database)];
});
afterAll(() => target.close());

/** Headers that differ between any two answers. */
const VARYING = new Set(['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset']);
const comparable = (reply: Reply) => ({
  status: reply.status,
  body: reply.body,
  headers: [...reply.headers].filter(([name]) => !VARYING.has(name)),
});

describe('enumeration of invoice codes', () => {
  test("another store's invoice answers like one that does not exist, byte for byte", async () => {
    const [own, other] = tenants;
    const transId = 'TID-QQQQQQQQQQQQQQQQ';
    const absent = await lookup(target.transport, own, transId);
    await target.database.pool.query(
      `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       values ($1, $2, 5, now(), now() + interval '30 minutes', 0)`,
      [other.id, transId],
    );
    const foreign = await lookup(target.transport, own, transId);
    expect(comparable(foreign)).toEqual(comparable(absent));
    expect((await lookup(target.transport, other, transId)).status).toBe(200);
  });

  test('codes say nothing about each other: no order, no shared beginning beyond the shard', async () => {
    const codes = await Promise.all(
      Array.from({ length: 300 }, async () => transIdOf(await create(target.transport, tenants[0]))),
    );
    expect(new Set(codes.map((code) => code.slice(0, 12))).size).toBe(codes.length);
    expect(new Set(codes.map((code) => code.slice(0, 5))).size).toBe(1);
    expect(codes).not.toEqual(codes.toSorted());
  });

  test('probing without a key is limited by address', async () => {
    const probes = Array.from({ length: 60 }, (_, turn) =>
      send(target.transport, { path: `/invoice/TID-${String(turn).padStart(16, '0')}` }),
    );
    const statuses = (await Promise.all(probes)).map((reply) => reply.status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});

type Step = { tenant: 0 | 1; requestId: string; amount: number } | { tenant: 0 | 1; known: number };

const tenant = fc.constantFrom<0 | 1>(0, 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      tenant,
      requestId: fc.constantFrom('a', 'b', 'A', 'é', 'e\u0301'),
      amount: fc.integer({ min: 1, max: 99 }),
    }),
    fc.record({ tenant, known: fc.nat() }),
  ),
  { minLength: 2, maxLength: 25 },
);

const MARKERS = ['marker-of-the-first', 'marker-of-the-second'] as const;

type Model = { made: { tenant: 0 | 1; transId: string }[]; byRequest: Map<string, string> };

async function expectCreated(step: Extract<Step, { requestId: string }>, run: string, model: Model): Promise<void> {
  const fields = { request_id: `${run}${step.requestId}`, amount: step.amount, name: MARKERS[step.tenant] };
  const reply = await create(target.transport, tenants[step.tenant], fields);
  const transId = transIdOf(reply);
  const key = `${step.tenant} ${fields.request_id}`;
  expect(reply.json.idempotent).toBe(model.byRequest.has(key) ? true : undefined);
  expect(transId).toBe(model.byRequest.get(key) ?? transId);
  expect(model.made.filter((one) => one.transId === transId && one.tenant !== step.tenant)).toEqual([]);
  model.byRequest.set(key, transId);
  model.made.push({ tenant: step.tenant, transId });
}

async function expectFoundByOwner(step: Extract<Step, { known: number }>, model: Model): Promise<void> {
  const asked = model.made[step.known % Math.max(1, model.made.length)];
  if (!asked) return;
  const reply = await lookup(target.transport, tenants[step.tenant], asked.transId);
  expect(reply.status).toBe(asked.tenant === step.tenant ? 200 : 404);
  expect(reply.body).not.toContain(MARKERS[step.tenant === 0 ? 1 : 0]);
}

describe('tenant crossover', () => {
  test('whatever two stores do, neither sees, meets or changes an invoice of the other', async () => {
    const history = fc.asyncProperty(steps, fc.uuid(), async (taken, run) => {
      const model: Model = { made: [], byRequest: new Map() };
      for (const step of taken) {
        if ('requestId' in step) await expectCreated(step, run, model);
        else await expectFoundByOwner(step, model);
      }
    });
    await fc.assert(history, { numRuns: 30 });
  });

  test("a store cannot create in another's name: its merchant_id is refused and nothing is written", async () => {
    const [own, other] = tenants;
    const count = async () =>
      (await target.database.pool.query<{ count: bigint }>('select count(*) from invoices')).rows[0]?.count;
    const before = await count();
    const reply = await create(target.transport, own, { merchant_id: other.merchantId });
    expect([reply.status, reply.json.error_code]).toEqual([400, 'INVALID_MERCHANT_ID']);
    expect(await count()).toBe(before);
  });

  test('an existing merchant_id is refused like one that nobody has', async () => {
    const [own, other] = tenants;
    const existing = await create(target.transport, own, { merchant_id: other.merchantId });
    const invented = await create(target.transport, own, { merchant_id: 'MID-000000000000' });
    expect(comparable(existing)).toEqual(comparable(invented));
  });
});

const SUPPLIED = new Set([
  'merchant_id',
  'amount',
  'callback_url',
  'completed_url',
  'expired_url',
  'name',
  'description',
  'request_id',
  'currency',
  'lifetime_minutes',
  'metadata',
  'methods',
]);

describe('mass assignment', () => {
  test('naming every column of every table sets none of them: only the fields of the contract are read', async () => {
    const [own, other] = tenants;
    const { rows: columns } = await target.database.pool.query<{ column_name: string }>(
      `select distinct column_name from information_schema.columns where table_schema = 'public'`,
    );
    const names = columns.map((column) => column.column_name).filter((name) => !SUPPLIED.has(name));
    expect(names).toContain('fee_micro_usd');
    const wanted = Object.fromEntries(
      names.map((name) => [name, name.endsWith('_id') ? Number(other.id) : 'completed']),
    );
    const camel = {
      storeId: Number(other.id),
      transId: 'TID-AAAAAAAAAAAAAAAA',
      feeMicroUsd: 0,
      expiresInMinutes: 9_999,
    };
    const body = { ...wanted, ...camel, trans_id: 'TID-AAAAAAAAAAAAAAAA', fee_micro_usd: 0, status: 'completed' };
    const reply = await create(target.transport, own, { ...body, amount: '100' });
    const transId = transIdOf(reply);
    expect(reply.json.data).toMatchObject({ status: 'waiting', amount: '100.00', expires_in_minutes: 30 });
    expect(transId).not.toBe('TID-AAAAAAAAAAAAAAAA');
    const { rows } = await target.database.pool.query('select * from invoices where trans_id = $1', [transId]);
    expect(rows).toMatchObject([
      {
        store_id: own.id,
        status: 'waiting',
        request_id: null,
        name: null,
        fee_micro_usd: 500_000n,
        quote_id: null,
        transaction_hash: null,
        from_address: null,
        callback_status: null,
      },
    ]);
  });

  test('parameters in the query are not read: only the body counts', async () => {
    const [own] = tenants;
    const reply = await send(target.transport, {
      method: 'POST',
      path: `/payment/crypto?merchant_id=${own.merchantId}&amount=5&amount=6&name=query`,
      headers: [
        ['x-api-key', own.apiKey],
        ['content-type', 'application/json'],
      ],
      body: Buffer.from(JSON.stringify({ merchant_id: own.merchantId, amount: 7 })),
    });
    expect(reply.json.data?.['amount']).toBe('7.00');
    expect((await lookup(target.transport, own, transIdOf(reply))).json.data).not.toHaveProperty('name');
    const empty = await post(target.transport, own, '{}');
    expect(empty.json.error_code).toBe('VALIDATION_ERROR');
  });
});
