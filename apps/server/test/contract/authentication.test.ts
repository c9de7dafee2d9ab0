import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createApiKeyText } from '../../src/stores/api-key.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { revealApiKey } from '../../src/stores/reveal-api-key.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Answer, Contract, ExpectedCode } from './contract-client.ts';
import {
  call,
  create,
  createWritten,
  expectCreated,
  expectError,
  expectFound,
  forgetWindows,
  lookup,
  openContract,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;
let transId: string;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
  transId = expectCreated(await create(contract, store)).data.trans_id;
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const body = (merchantId = store.merchantId) => JSON.stringify({ merchant_id: merchantId, amount: 50 });

/** Makes the same call on both endpoints. */
async function onBoth(
  key: string | undefined,
  headers: Record<string, string>,
  check: (answer: Answer) => void,
): Promise<void> {
  check(await createWritten(contract, key, body(), headers));
  check(await lookup(contract, key, transId, headers));
}

const ringed = ({ ring }: TestStore) => ({ database: contract.database, clock: systemClock, ring, jobs: undefined });

const regenerate = (own: TestStore, overlapHours: number) =>
  issueApiKey(ringed(own), TESTER, { store: own.ref, overlapHours });

describe('authentication rule 1 | API key, one unique key per store, in the x-api-key header on every request', () => {
  test('the key opens both endpoints', async () => {
    expectCreated(await createWritten(contract, store.apiKey, body()));
    expectFound(await lookup(contract, store.apiKey, transId));
  });

  test('the name of the header has no case', async () => {
    expectFound(await call(contract, `/invoice/${transId}`, { headers: { 'X-API-Key': store.apiKey } }));
  });

  test('each store has a key of its own', async () => {
    const other = await openStore(contract.database);
    expect(other.apiKey).not.toBe(store.apiKey);
    expectError(await createWritten(contract, other.apiKey, body()), 'INVALID_MERCHANT_ID');
  });

  test('a key elsewhere than in the header is no key', async () => {
    const bearer = { authorization: `Bearer ${store.apiKey}` };
    await onBoth(undefined, bearer, (answer) => expectError(answer, 'MISSING_API_KEY'));
    const query = `?x-api-key=${store.apiKey}&api_key=${store.apiKey}`;
    expectError(await lookup(contract, undefined, transId + query), 'MISSING_API_KEY');
  });
});

describe('authentication rule 2 | the key belongs to an active store and the merchant account is active', () => {
  test('only then is the request processed', async () => {
    const own = await openStore(contract.database);
    await activateStore(ringed(own), TESTER, { store: own.ref, active: false });
    expectError(await create(contract, own, { request_id: 'kept out' }), 'STORE_INACTIVE', { request_id: 'kept out' });
    await activateStore(ringed(own), TESTER, { store: own.ref, active: true });
    expect(expectCreated(await create(contract, own, { request_id: 'kept out' }))).not.toHaveProperty('idempotent');
  });
});

describe('authentication rule 3 | the key is obtained and regenerated', () => {
  test('a regenerated key works at once and the old one no longer', async () => {
    const own = await openStore(contract.database);
    const apiKey = await regenerate(own, 0);
    expect(apiKey).not.toBe(own.apiKey);
    expectCreated(await create(contract, { ...own, apiKey }));
    expectError(await create(contract, own), 'INVALID_API_KEY');
  });

  test('with an overlap both keys work and see the same invoices', async () => {
    const own = await openStore(contract.database);
    const apiKey = await regenerate(own, 1);
    const { data } = expectCreated(await create(contract, own, { request_id: 'overlap' }));
    const replay = expectCreated(await create(contract, { ...own, apiKey }, { request_id: 'overlap' }));
    expect(replay).toStrictEqual({ status: 'success', data, idempotent: true });
    expectFound(await lookup(contract, apiKey, data.trans_id));
  });

  test('the key can be copied: what is revealed is the key in use', async () => {
    const own = await openStore(contract.database);
    const apiKey = await regenerate(own, 0);
    expect(await revealApiKey(ringed(own), TESTER, { store: own.ref })).toBe(apiKey);
  });
});

describe('authentication rule 4 | the key must be used from backend servers only', () => {
  test('no answer lets a browser of another origin read it', async () => {
    const headers = { origin: 'https://shop.example' };
    await onBoth(store.apiKey, headers, (answer) => {
      expect(answer.status).toBe(200);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toStrictEqual([]);
    });
  });

  test('a preflight is refused', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const answer = await call(contract, '/payment/crypto', { method: 'OPTIONS', headers });
    expectError(answer, 'METHOD_NOT_ALLOWED');
  });

  test('no answer and no log line repeats a key', async () => {
    await onBoth(store.apiKey, {}, (answer) => expect(answer.text).not.toContain(store.apiKey));
    expect(contract.server.output()).not.toContain(store.apiKey);
  });
});

describe('authentication failures', () => {
  test('401 | MISSING_API_KEY | x-api-key header absent', async () => {
    await onBoth(undefined, {}, (answer) => expectError(answer, 'MISSING_API_KEY'));
  });

  test.each(['', ' ', '\t'])('401 | MISSING_API_KEY | x-api-key header empty: %j', async (key) => {
    await onBoth(key, {}, (answer) => expectError(answer, 'MISSING_API_KEY'));
  });

  test.each([
    ['garbage', () => 'garbage'],
    ['well-formed but unknown', () => createApiKeyText(true, 'A')],
    ['a checksum that is wrong', () => store.apiKey.slice(0, -1) + (store.apiKey.endsWith('a') ? 'b' : 'a')],
    ['another case', () => store.apiKey.toLowerCase()],
    ['one character more', () => `${store.apiKey}a`],
    ['two keys in one header', () => `${store.apiKey}, ${store.apiKey}`],
    ['the merchant code', () => store.merchantId],
    ['a statement', () => "' or true --"],
    ['4,000 characters', () => 'x'.repeat(4_000)],
  ])('401 | INVALID_API_KEY | key incorrect: %s', async (_case, key) => {
    await onBoth(key(), {}, (answer) => expectError(answer, 'INVALID_API_KEY'));
  });

  test('401 | INVALID_API_KEY | an expired key belongs to no active store', async () => {
    const own = await openStore(contract.database);
    await contract.database.pool.query(
      `update api_keys set expires_at = now() - interval '1 second' where store_id = $1`,
      [own.id],
    );
    await onBoth(own.apiKey, {}, (answer) => expectError(answer, 'INVALID_API_KEY'));
  });

  test('403 | ACCOUNT_INACTIVE | merchant account disabled', async () => {
    const own = await openStore(contract.database);
    const { merchantAccountId } = own;
    await activateMerchant(ringed(own), TESTER, { merchantAccountId, active: false });
    await onBoth(own.apiKey, {}, (answer) => expectError(answer, 'ACCOUNT_INACTIVE'));
  });

  test('403 | STORE_INACTIVE | store disabled', async () => {
    const own = await openStore(contract.database);
    await activateStore(ringed(own), TESTER, { store: own.ref, active: false });
    await onBoth(own.apiKey, {}, (answer) => expectError(answer, 'STORE_INACTIVE'));
  });
});

describe('500 | AUTHENTICATION_FAILED | internal failure during authentication', () => {
  let broken: Contract;
  let known: TestStore;

  beforeAll(async () => {
    broken = await openContract();
    known = await openStore(broken.database);
    await broken.database.pool.query('alter table admissions rename to admissions_gone');
  });
  afterAll(() => broken.close());

  const CODE: ExpectedCode = 'AUTHENTICATION_FAILED';

  test('on create, with the request_id', async () => {
    expectError(await create(broken, known, { request_id: 'broken' }), CODE, { request_id: 'broken' });
  });

  test('on get', async () => {
    expectError(await lookup(broken, known.apiKey, transId), CODE);
  });

  test('without a key too: nothing can be counted', async () => {
    expectError(await lookup(broken, undefined, transId), CODE);
  });

  test('on a path that does not exist', async () => {
    expectError(await call(broken, '/nowhere'), CODE);
  });

  test('and it works again when the failure is over', async () => {
    await broken.database.pool.query('alter table admissions_gone rename to admissions');
    expectCreated(await create(broken, known));
    await broken.database.pool.query('alter table admissions rename to admissions_gone');
  });
});
