import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Contract } from './contract-client.ts';
import {
  create,
  createWritten,
  expectCreated,
  expectError,
  expectFound,
  expectInvalid,
  lookup,
  openContract,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database, { creditMicroUsd: 1_000_000_000_000n });
});
afterAll(() => contract.close());

const NOT_AN_AMOUNT = 'amount must be a plain decimal greater than 0 and at most 1000000, with at most 8 decimals.';

function createWithAmount(written: string) {
  return createWritten(contract, store.apiKey, `{"merchant_id":"${store.merchantId}","amount":${written}}`);
}

async function storedColumn(transId: string, column: string): Promise<unknown> {
  const { rows } = await contract.database.pool.query<Record<string, unknown>>(
    'select to_jsonb(invoices) as invoice from invoices where trans_id = $1',
    [transId],
  );
  const invoice: unknown = rows[0]?.['invoice'];
  return typeof invoice === 'object' && invoice !== null ? Reflect.get(invoice, column) : undefined;
}

describe('create body | merchant_id | string | required | non-empty; must match the store of the API key', () => {
  test("the store's own merchant code is accepted", async () => {
    expectCreated(await create(contract, store));
  });

  test.each([
    ['absent', undefined, 'merchant_id is required.'],
    ['null', null, 'merchant_id is required.'],
    ['empty', '', 'merchant_id is required.'],
    ['a number', 12, 'merchant_id must be a string.'],
    ['a boolean', true, 'merchant_id must be a string.'],
    ['an object', {}, 'merchant_id must be a string.'],
    ['an array', ['MID-AAAAAAAAAAAA'], 'merchant_id must be a string.'],
  ])('%s is a VALIDATION_ERROR', async (_case, value, message) => {
    expectInvalid(await create(contract, store, { merchant_id: value }), 'merchant_id', message);
  });

  test.each([
    ['an unknown one', () => 'MID-AAAAAAAAAAAA'],
    ['another case', () => store.merchantId.toLowerCase()],
    ['with a space around it', () => ` ${store.merchantId}`],
    ['only a space', () => ' '],
    ['a part of it', () => store.merchantId.slice(0, -1)],
  ])('%s is INVALID_MERCHANT_ID', async (_case, value) => {
    expectError(await create(contract, store, { merchant_id: value() }), 'INVALID_MERCHANT_ID');
  });
});

describe('create body | amount | number or string | required | > 0 and <= 1,000,000', () => {
  const accepted = [
    ['0.00000001', '0.00000001'],
    ['0.01', '0.01'],
    ['0.10', '0.10'],
    ['1', '1.00'],
    ['1.0', '1.00'],
    ['50', '50.00'],
    ['50.5', '50.50'],
    ['50.125', '50.125'],
    ['99.99999999', '99.99999999'],
    ['123456.78000000', '123456.78'],
    ['999999.99999999', '999999.99999999'],
    ['1000000', '1000000.00'],
    ['1000000.0', '1000000.00'],
    ['1000000.00000000', '1000000.00'],
  ];

  test.each(accepted)('the number %s is accepted and shown as "%s"', async (written, shown) => {
    expect(expectCreated(await createWithAmount(written)).data.amount).toBe(shown);
  });

  test.each(accepted)('the numeric string "%s" is accepted and shown as "%s"', async (written, shown) => {
    const { data } = expectCreated(await createWithAmount(`"${written}"`));
    expect(data.amount).toBe(shown);
    expect(expectFound(await lookup(contract, store.apiKey, data.trans_id)).amount).toBe(shown);
  });

  const refused = [
    '0',
    '0.0',
    '0.00000000',
    '-0',
    '-1',
    '-0.00000001',
    '1000000.00000001',
    '1000000.0000000000000001',
    '1000001',
    '9999999',
    '10000000',
    '0.000000001',
    '1.123456789',
    '1e3',
    '1E3',
    '1e-3',
    '1.5e1',
    '1e400',
  ];

  test.each(refused)('the number %s is refused', async (written) => {
    expectInvalid(await createWithAmount(written), 'amount', NOT_AN_AMOUNT);
  });

  const refusedText = ['+1', '.5', '5.', '05', '00.5', ' 5', '5 ', '1,000', '1_000', '0x10', '٣', '5\\n', 'NaN', '$5'];

  test.each([...refused, ...refusedText, 'Infinity', 'five', ' '])('the string "%s" is refused', async (written) => {
    expectInvalid(await createWithAmount(`"${written}"`), 'amount', NOT_AN_AMOUNT);
  });

  test.each([
    ['true', 'amount must be a number or a numeric string.'],
    ['false', 'amount must be a number or a numeric string.'],
    ['{}', 'amount must be a number or a numeric string.'],
    ['{"amount":5}', 'amount must be a number or a numeric string.'],
    ['[5]', 'amount must be a number or a numeric string.'],
    ['null', 'amount is required.'],
    ['""', 'amount is required.'],
  ])('%s is refused', async (written, message) => {
    expectInvalid(await createWithAmount(written), 'amount', message);
  });

  test('absent is refused', async () => {
    expectInvalid(await create(contract, store, { amount: undefined }), 'amount', 'amount is required.');
  });
});

describe.each(['callback_url', 'completed_url', 'expired_url'])('create body | %s | string | not required', (field) => {
  const start = 'https://shop.example/';

  test('max 500 chars | absent is accepted', async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(await storedColumn(data.trans_id, field)).toBeNull();
  });

  test.each([
    ['500 characters', start.padEnd(500, 'a')],
    ['500 characters, most of them emoji', start + '😀'.repeat(500 - start.length)],
    ['https', 'https://shop.example/hook?order=1&x=%20#part'],
    ['http', 'http://shop.example/hook'],
    ['upper-case scheme and host', 'HTTPS://SHOP.EXAMPLE/Hook'],
    ['a port', 'https://shop.example:8443/hook'],
    ['no path', 'https://shop.example'],
    ['an international host', 'https://münchen.example/straße'],
  ])('max 500 chars, valid URL | accepted and stored as given: %s', async (_case, url) => {
    const { data } = expectCreated(await create(contract, store, { [field]: url }));
    expect(await storedColumn(data.trans_id, field)).toBe(url);
  });

  test.each([
    ['501 characters', start.padEnd(501, 'a')],
    ['501 characters, most of them emoji', start + '😀'.repeat(501 - start.length)],
  ])('max 500 chars | refused: %s', async (_case, url) => {
    const answer = await create(contract, store, { [field]: url });
    expectInvalid(answer, field, `${field} may hold at most 500 characters.`);
  });

  test.each([
    'shop.example/hook',
    '/hook',
    '//shop.example/hook',
    'https://',
    'https:///hook',
    'https:shop.example',
    'https://shop example/hook',
    ' https://shop.example/',
    'https://shop.example/\n',
    'https://shop.example:99999/',
    'https://user:word@shop.example:8443/hook',
    'https://shop.example@evil.example/',
    'https://@shop.example/',
    'https://[::1/',
    'ftp://shop.example/hook',
    'javascript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'not a url',
  ])('valid URL | refused: %j', async (url) => {
    const answer = await create(contract, store, { [field]: url });
    expectInvalid(answer, field, `${field} must be an http or https URL.`);
  });

  test.each([22, 81, 5432, 6379])('valid URL | refused: port %d', async (port) => {
    const answer = await create(contract, store, { [field]: `https://shop.example:${port}/hook` });
    expectInvalid(answer, field, `${field} must not name a port of another service than the web.`);
  });

  test.each([5, true, {}, ['https://shop.example/']])('string | refused: %j', async (value) => {
    expectInvalid(await create(contract, store, { [field]: value }), field, `${field} must be a string.`);
  });
});

describe.each([
  ['name', 255],
  ['description', 1000],
  ['request_id', 255],
] as const)('create body | %s | string | not required | max %i chars', (field, maximum) => {
  test('absent is accepted', async () => {
    expectCreated(await create(contract, store));
  });

  test.each([
    ['one character', 'a'],
    ['the maximum', 'b'.repeat(maximum)],
    ['the maximum in emoji', '😀'.repeat(maximum)],
    ['the maximum of letters beyond ASCII', 'é'.repeat(maximum)],
    ['spaces are kept', ' a '],
    ['markup is kept', '<script>alert("1")</script>'],
    ['line breaks and tabs are kept', 'a\r\n\tb'],
  ])('accepted and returned as given: %s', async (_case, value) => {
    const { data } = expectCreated(await create(contract, store, { [field]: value }));
    const invoice = expectFound(await lookup(contract, store.apiKey, data.trans_id));
    expect(invoice[field]).toBe(value);
  });

  test.each([
    ['one character more', 'c'.repeat(maximum + 1)],
    ['one emoji more', '😀'.repeat(maximum + 1)],
  ])('refused: %s', async (_case, value) => {
    const answer = await create(contract, store, { [field]: value });
    expectInvalid(answer, field, `${field} may hold at most ${maximum} characters.`);
  });

  test.each([5, 0, true, false, {}, [], ['a']])('string | refused: %j', async (value) => {
    expectInvalid(await create(contract, store, { [field]: value }), field, `${field} must be a string.`);
  });
});
