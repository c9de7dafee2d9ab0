import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Contract } from './contract-client.ts';
import {
  call,
  create,
  expectCreated,
  expectError,
  expectFound,
  forgetWindows,
  lookup,
  openContract,
  SELECTION,
  selectToken,
  setStatus,
  SETTLEMENT,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

async function createInvoice(fields: Record<string, unknown> = {}): Promise<string> {
  return expectCreated(await create(contract, store, fields)).data.trans_id;
}

describe('get request', () => {
  test('path parameter | trans_id, format TID- plus 16 uppercase alphanumeric characters', async () => {
    const transId = await createInvoice();
    expect(expectFound(await lookup(contract, store.apiKey, transId)).trans_id).toBe(transId);
  });

  test("header | x-api-key (required), the store's API key", async () => {
    expectError(await lookup(contract, undefined, await createInvoice()), 'MISSING_API_KEY');
  });

  test('request body | none: a content type without a body is ignored', async () => {
    const headers = { 'content-type': 'application/json' };
    expectFound(await lookup(contract, store.apiKey, await createInvoice(), headers));
  });

  test('a query string changes nothing', async () => {
    expectFound(await lookup(contract, store.apiKey, `${await createInvoice()}?trans_id=TID-AAAAAAAAAAAAAAAA`));
  });
});

async function show(transId: string): Promise<{ body: unknown; times: { created_at: number; expires_at: number } }> {
  const answer = await lookup(contract, store.apiKey, transId);
  const { created_at, expires_at } = expectFound(answer);
  return { body: JSON.parse(answer.text), times: { created_at, expires_at } };
}

describe('get success | HTTP 200, status = success and data', () => {
  const supplied = { name: 'A title', description: 'A description' };

  test('always present: trans_id, status, amount, created_at, expires_at', async () => {
    const transId = await createInvoice();
    const { body, times } = await show(transId);
    expect(body).toStrictEqual({
      status: 'success',
      data: { trans_id: transId, status: 'waiting', amount: '50.00', ...times },
    });
  });

  test('plus request_id, name and description when they were supplied at creation', async () => {
    const transId = await createInvoice({ ...supplied, request_id: 'get supplied' });
    const { body, times } = await show(transId);
    expect(body).toStrictEqual({
      status: 'success',
      data: {
        trans_id: transId,
        status: 'waiting',
        amount: '50.00',
        ...supplied,
        request_id: 'get supplied',
        ...times,
      },
    });
  });

  const selected = {
    token_symbol: 'USDT',
    network_symbol: 'BSC',
    token_amount: SELECTION.amount,
    token_price: SELECTION.price,
    to_address: SELECTION.toAddress,
  };

  test.each(['waiting', 'processing', 'expired'] as const)(
    'after selection: additionally the five selection fields, and none of completion while %s',
    async (status) => {
      const transId = await createInvoice();
      await selectToken(contract.database, transId);
      await setStatus(contract.database, transId, status);
      const { body, times } = await show(transId);
      expect(body).toStrictEqual({
        status: 'success',
        data: { trans_id: transId, status, amount: '50.00', ...times, ...selected },
      });
    },
  );

  test('when status is completed: additionally transaction_hash, from_address, fee_amount, callback_status', async () => {
    const transId = await createInvoice();
    await selectToken(contract.database, transId);
    await setStatus(contract.database, transId, 'completed', { ...SETTLEMENT, callbackStatus: 'success' });
    const { body, times } = await show(transId);
    expect(body).toStrictEqual({
      status: 'success',
      data: {
        trans_id: transId,
        status: 'completed',
        amount: '50.00',
        ...times,
        ...selected,
        transaction_hash: SETTLEMENT.hash,
        from_address: SETTLEMENT.from,
        fee_amount: '0.25',
        callback_status: 'success',
      },
    });
  });
});

describe('get rule 1 | a missing trans_id in the path gives 400 MISSING_TRANS_ID', () => {
  test.each(['/invoice/', '/invoice', '/invoice/?trans_id=TID-AAAAAAAAAAAAAAAA'])('%s', async (path) => {
    expectError(await call(contract, path, { key: store.apiKey }), 'MISSING_TRANS_ID');
  });
});

describe('get rule 2 | a trans_id not matching the format gives 400 INVALID_TRANS_ID_FORMAT', () => {
  test.each([
    ['one character short', 'TID-AAAAAAAAAAAAAAA'],
    ['one character long', 'TID-AAAAAAAAAAAAAAAAA'],
    ['lower case', 'TID-aaaaaaaaaaaaaaaa'],
    ['a lower-case prefix', 'tid-AAAAAAAAAAAAAAAA'],
    ['no prefix', 'AAAAAAAAAAAAAAAA'],
    ['another prefix', 'TIX-AAAAAAAAAAAAAAAA'],
    ['a dash inside', 'TID-AAAAAAAA-AAAAAAA'],
    ['an underscore inside', 'TID-AAAAAAAA_AAAAAAA'],
    ['a letter beyond ASCII', 'TID-AAAAAAAAAAAAAAAÄ'],
    ['a digit beyond ASCII', 'TID-AAAAAAAAAAAAAAA٣'],
    ['a space behind', 'TID-AAAAAAAAAAAAAAAA '],
    ['a line break behind', 'TID-AAAAAAAAAAAAAAAA\n'],
    ['NUL inside', 'TID-AAAAAAAA\u0000AAAAAAA'],
    ['a slash inside', 'TID-AAAAAAAA/AAAAAAA'],
    ['a percent sign', '%'],
    ['a quote', "' or 1=1 --"],
    ['an emoji', '😀'],
    ['one character', 'x'],
    ['8,000 characters', 'A'.repeat(8_000)],
    ['15,000 characters', 'A'.repeat(15_000)],
  ])('%s; details holds the value sent and expected_format', async (_case, transId) => {
    const answer = await lookup(contract, store.apiKey, encodeURIComponent(transId));
    expectError(answer, 'INVALID_TRANS_ID_FORMAT', {
      details: { trans_id: transId, expected_format: 'TID-XXXXXXXXXXXXXXXX' },
    });
  });

  test.each(['%', '%zz', 'TID-%', '%ff', '%c3%28', 'TID-AAAAAAAAAAAAAAA%E0%A4'])(
    'an escape that stands for no character is the value sent: %s',
    async (transId) => {
      expectError(await lookup(contract, store.apiKey, transId), 'INVALID_TRANS_ID_FORMAT', {
        details: { trans_id: transId, expected_format: 'TID-XXXXXXXXXXXXXXXX' },
      });
    },
  );

  test('a format fault without a key is a 401', async () => {
    expectError(await lookup(contract, undefined, 'x'), 'MISSING_API_KEY');
    expectError(await lookup(contract, undefined, '%zz'), 'MISSING_API_KEY');
  });
});

describe('get rule 3 | unknown or of another store gives 404 INVOICE_NOT_FOUND; details.trans_id holds the value sent', () => {
  test('an unknown invoice', async () => {
    const transId = 'TID-0000000000000000';
    expectError(await lookup(contract, store.apiKey, transId), 'INVOICE_NOT_FOUND', { details: { trans_id: transId } });
  });

  test('an escaped character is read as the character', async () => {
    const transId = await createInvoice();
    expect(expectFound(await lookup(contract, store.apiKey, transId.replace('-', '%2D'))).trans_id).toBe(transId);
  });

  test.each(['waiting', 'processing', 'completed', 'expired'] as const)(
    'a %s invoice of another store answers byte for byte like an absent one',
    async (status) => {
      const other = await openStore(contract.database);
      const transId = await createInvoice({ request_id: `foreign ${status}` });
      await selectToken(contract.database, transId);
      await setStatus(contract.database, transId, status);
      const foreign = await lookup(contract, other.apiKey, transId);
      await contract.database.pool.query('with gone as (delete from quotes) delete from invoices where trans_id = $1', [
        transId,
      ]);
      await forgetWindows(contract.database);
      const absent = await lookup(contract, other.apiKey, transId);
      expectError(foreign, 'INVOICE_NOT_FOUND', { details: { trans_id: transId } });
      expect(foreign.text).toBe(absent.text);
      const named = (answer: typeof foreign) =>
        [...answer.headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit-remaining'].includes(name));
      expect(named(foreign)).toStrictEqual(named(absent));
    },
  );
});

describe('get rule 4 | intended uses', () => {
  test('polling status: each lookup shows the status of that moment', async () => {
    const transId = await createInvoice();
    const seen: string[] = [];
    for (const status of ['waiting', 'processing', 'completed'] as const) {
      await setStatus(contract.database, transId, status);
      seen.push(expectFound(await lookup(contract, store.apiKey, transId)).status);
    }
    expect(seen).toStrictEqual(['waiting', 'processing', 'completed']);
  });

  test('reconciliation by trans_id: many lookups at once each get their own invoice', async () => {
    const made = await Promise.all(Array.from({ length: 25 }, () => createInvoice()));
    const found = await Promise.all(made.map((transId) => lookup(contract, store.apiKey, transId)));
    expect(found.map((answer) => expectFound(answer).trans_id)).toStrictEqual(made);
  });
});
