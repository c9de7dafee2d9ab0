import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { merchantInvoiceSchema } from '../../src/api/invoice-schemas.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, VISITOR } from '../../rig/stores/open-store.ts';
import type { Answer, Contract } from '../contract/contract-client.ts';
import {
  create,
  createWritten,
  expectCreated,
  expectError,
  expectFound,
  expectInvalid,
  forgetWindows,
  lookup,
  openContract,
} from '../contract/contract-client.ts';

/** What a create request may choose beyond the contract. */

let contract: Contract;
let store: TestStore;
let sandbox: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
  sandbox = await openStore(contract.database, { test: true });
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

async function find(transId: string, of = store) {
  const answer = await lookup(contract, of.apiKey, transId);
  expect(answer.status).toBe(200);
  return merchantInvoiceSchema.parse((JSON.parse(answer.text) as { data: unknown }).data);
}

const transIdOf = (answer: Answer) => expectCreated(answer).data.trans_id;
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'text']));

describe('lifetime_minutes', () => {
  test.each([10, 60, 1_440])('%i is how long the invoice can be paid', async (minutes) => {
    const { data } = expectCreated(await create(contract, store, { lifetime_minutes: minutes }));
    expect(data.expires_in_minutes).toBe(minutes);
    const found = await find(data.trans_id);
    expect(found.expires_at - found.created_at).toBe(minutes * 60);
  });

  test.each([null, ''])('%j counts as not supplied: the store decides', async (minutes) => {
    const { data } = expectCreated(await create(contract, store, { lifetime_minutes: minutes }));
    expect(data.expires_in_minutes).toBe(30);
  });

  test.each([0, 9, 1_441, -30, 30.5, '30', true, [], 1e300])('%j is refused', async (minutes) => {
    const message = 'lifetime_minutes must be a whole number from 10 to 1440.';
    expectInvalid(await create(contract, store, { lifetime_minutes: minutes }), 'lifetime_minutes', message);
  });

  test('a replay answers the lifetime of its invoice, not the one it asks for', async () => {
    const first = expectCreated(await create(contract, store, { request_id: 'life', lifetime_minutes: 45 }));
    const again = expectCreated(await create(contract, store, { request_id: 'life', lifetime_minutes: 90 }));
    expect(again).toEqual({ ...first, idempotent: true });
  });

  test('a replay answers the whole lifetime after the end of a test invoice was moved', async () => {
    const first = expectCreated(await create(contract, sandbox, { request_id: 'moved', lifetime_minutes: 20 }));
    await contract.database.pool.query(
      `update invoices set expires_at = expires_at - interval '3 days' where trans_id = $1`,
      [first.data.trans_id],
    );
    const again = expectCreated(await create(contract, sandbox, { request_id: 'moved' }));
    expect(again).toEqual({ ...first, idempotent: true });
  });

  test('a replay of an invoice of an earlier version answers what its times say, never less than a minute', async () => {
    const first = expectCreated(await create(contract, sandbox, { request_id: 'earlier' }));
    const become = (change: string) =>
      contract.database.pool.query(`update invoices set ${change} where trans_id = $1`, [first.data.trans_id]);
    const again = async () => expectCreated(await create(contract, sandbox, { request_id: 'earlier' })).data;
    await become('lifetime_minutes = null');
    expect((await again()).expires_in_minutes).toBe(30);
    await become(`expires_at = created_at - interval '3 days'`);
    expect((await again()).expires_in_minutes).toBe(1);
  });
});

describe('metadata', () => {
  test('a lookup returns it as it was supplied', async () => {
    const metadata = { cart: '7d1f', 'a key with spaces': '', constructor: 'x', emoji: '😀\n"' };
    const transId = transIdOf(await create(contract, store, { metadata }));
    expect((await find(transId)).metadata).toEqual(metadata);
  });

  test('a key named __proto__ is a key like any other', async () => {
    const written = `{"merchant_id":"${store.merchantId}","amount":5,"metadata":{"__proto__":"x"}}`;
    const transId = transIdOf(await createWritten(contract, store.apiKey, written));
    const { text } = await lookup(contract, store.apiKey, transId);
    expect(text).toContain('"metadata":{"__proto__":"x"}');
  });

  test('without it no answer has it', async () => {
    const transId = transIdOf(await create(contract, store, { metadata: null }));
    expectFound(await lookup(contract, store.apiKey, transId));
  });

  test('20 keys of 40 characters with values of 500 are accepted', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [String(at).padStart(40, 'k'), 'v'.repeat(500)]),
    );
    const transId = transIdOf(await create(contract, store, { metadata }));
    expect((await find(transId)).metadata).toEqual(metadata);
  });

  test.each<[string, unknown, string]>([
    ['a text', 'cart', 'metadata must be an object.'],
    ['a list', [], 'metadata must be an object.'],
    ['21 keys', pairs(21), 'metadata may hold at most 20 keys.'],
    ['an empty key', { '': 'x' }, 'metadata must have keys of 1 to 40 characters.'],
    ['a long key', { ['k'.repeat(41)]: 'x' }, 'metadata must have keys of 1 to 40 characters.'],
    ['a number', { count: 3 }, 'metadata must have strings as values.'],
    ['null as a value', { count: null }, 'metadata must have strings as values.'],
    ['an object in it', { deep: { er: 'x' } }, 'metadata must have strings as values.'],
    ['a long value', { text: 'v'.repeat(501) }, 'metadata must have values of at most 500 characters.'],
    ['U+0000 in a value', { text: 'a\u0000' }, 'metadata may not hold U+0000 or lone surrogates.'],
    ['a lone surrogate in a key', { 'a\ud800': 'x' }, 'metadata may not hold U+0000 or lone surrogates.'],
  ])('%s is refused', async (_name, metadata, message) => {
    expectInvalid(await create(contract, store, { metadata }), 'metadata', message);
  });

  test('a replay with other metadata changes nothing', async () => {
    const first = transIdOf(await create(contract, store, { request_id: 'kept', metadata: { cart: 'one' } }));
    expect(transIdOf(await create(contract, store, { request_id: 'kept', metadata: { cart: 'two' } }))).toBe(first);
    expect((await find(first)).metadata).toEqual({ cart: 'one' });
  });
});

describe('methods', () => {
  const NOT_OFFERED = 'methods may name only payment methods that a store of this mode can offer, such as BSC:USDT.';

  test('a lookup returns them, each once and in the order given', async () => {
    const transId = transIdOf(await create(contract, store, { methods: ['TRC20:USDT', 'BSC:USDT', 'TRC20:USDT'] }));
    expect((await find(transId)).methods).toEqual(['TRC20:USDT', 'BSC:USDT']);
  });

  test('a test store names the methods of the networks that its sandbox imitates', async () => {
    expectCreated(await create(contract, sandbox, { methods: ['BSC:USDT'] }));
  });

  test.each(['BSC:DOGE', 'MOON:USDT', 'bsc:usdt', 'BSC', 'sandbox:BSC:USDT', 'BSC:USDT ', '', '__proto__'])(
    '%j is refused',
    async (method) => {
      expectInvalid(await create(contract, store, { methods: ['BSC:USDT', method] }), 'methods', NOT_OFFERED);
    },
  );

  test('an exchange platform is not offered by a test store', async () => {
    expectInvalid(await create(contract, sandbox, { methods: ['EXCHANGE_PAY:USDT'] }), 'methods', NOT_OFFERED);
  });

  test.each([[[]], ['BSC:USDT'], [{}], [[1, 2, 'BSC:USDT']], [[null]]])(
    '%j is refused as no list of methods',
    async (methods) => {
      const message = 'methods must be a list of payment methods, such as BSC:USDT.';
      expectInvalid(await create(contract, store, { methods }), 'methods', message);
    },
  );

  test('101 methods are refused', async () => {
    const methods = Array.from({ length: 101 }, () => 'BSC:USDT');
    expectInvalid(
      await create(contract, store, { methods }),
      'methods',
      'methods may name at most 100 payment methods.',
    );
  });

  test('an invoice that could be paid by none of them is refused: the store receives elsewhere', async () => {
    expectError(await create(contract, store, { methods: ['SOL:USDC', 'EXCHANGE_PAY:USDT'] }), 'NO_PAYMENT_METHOD');
  });

  test('the checkout selects no other method', async () => {
    const transId = transIdOf(await create(contract, sandbox, { methods: ['BSC:USDC'] }));
    const select = (token: string) =>
      selectPaymentMethod({ networks: NETWORKS, database: contract.database, clock: systemClock }, VISITOR, {
        transId,
        network: 'sandbox:BSC',
        token,
      });
    expect(await select('USDT')).toEqual({ selected: false, refusal: 'not-offered' });
    expect(await select('USDC')).not.toEqual({ selected: false, refusal: 'not-offered' });
  });
});
