import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { performDuring } from '../../rig/invoices/cancel-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, openStore } from '../../rig/stores/open-store.ts';
import type { Answer, Contract } from '../contract/contract-client.ts';
import {
  call,
  create,
  expectCreated,
  forgetWindows,
  lookup,
  openContract,
  rateHeaders,
  setStatus,
} from '../contract/contract-client.ts';

/** `POST /invoice/{trans_id}/cancel`, rule by rule. The contract's own endpoints have their suite beside this one. */

let contract: Contract;
let store: TestStore;
beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database, { creditMicroUsd: 100_000_000_000n });
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const UNKNOWN = 'TID-AAAAAAAAAAAAAAAA';

const post = (transId: string, key: string | undefined = store.apiKey, body?: string): Promise<Answer> =>
  call(contract, `/invoice/${transId}/cancel`, {
    method: 'POST',
    ...(key !== undefined && { key }),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });

/** A cancel that a worker performs. */
const cancel = (transId: string, body?: string): Promise<Answer> =>
  performDuring({ as: contract.as, clock: systemClock }, () => post(transId, store.apiKey, body));

const bodyOf = ({ text }: Answer) => JSON.parse(text) as Record<string, unknown> & { data: Record<string, unknown> };

async function newInvoice(fields: Record<string, unknown> = {}): Promise<string> {
  return expectCreated(await create(contract, store, fields)).data.trans_id;
}

describe('a cancel', () => {
  test('answers 200 with the cancelled invoice, and its end as it was', async () => {
    const transId = await newInvoice({ request_id: 'order 1', amount: '12.50' });
    const before = bodyOf(await lookup(contract, store.apiKey, transId)).data;
    const answer = await cancel(transId);
    expect(answer.status).toBe(200);
    expect(bodyOf(answer)).toStrictEqual({
      status: 'success',
      data: {
        trans_id: transId,
        request_id: 'order 1',
        status: 'expired',
        cancelled: true,
        amount: '12.50',
        expires_at: before['expires_at'],
        cancelled_at: expect.any(Number),
      },
    });
  });

  test('is repeated with the same answer, byte for byte', async () => {
    const transId = await newInvoice();
    const first = await cancel(transId);
    const again = await post(transId);
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
  });

  test('ignores what its body holds', async () => {
    const transId = await newInvoice();
    expect((await cancel(transId, '{"trans_id":"TID-AAAAAAAAAAAAAAAA"}')).status).toBe(200);
  });

  test('shows in lookup as `cancelled: true`, which no other invoice has', async () => {
    const [transId, other] = [await newInvoice(), await newInvoice()];
    await cancel(transId);
    await setStatus(contract.database, other, 'expired');
    expect(bodyOf(await lookup(contract, store.apiKey, transId)).data).toMatchObject({
      status: 'expired',
      cancelled: true,
    });
    expect(bodyOf(await lookup(contract, store.apiKey, other)).data).not.toHaveProperty('cancelled');
  });

  test('leaves a replay of the create as the contract has it', async () => {
    const fields = { request_id: 'cancelled order' };
    const { data } = expectCreated(await create(contract, store, fields));
    await cancel(data.trans_id);
    const replay = expectCreated(await create(contract, store, fields));
    expect(replay).toStrictEqual({ status: 'success', data: { ...data, status: 'expired' }, idempotent: true });
  });
});

describe('a cancel is refused', () => {
  test.each(['processing', 'completed', 'expired'] as const)('with 409 when the invoice is %s', async (status) => {
    const transId = await newInvoice();
    await setStatus(contract.database, transId, status);
    const answer = await post(transId);
    expect(answer.status).toBe(409);
    expect(bodyOf(answer)).toStrictEqual({
      status: 'error',
      message: 'Invoice cannot be cancelled. It has ended, or a payment for it was seen.',
      error_code: 'INVOICE_NOT_CANCELLABLE',
      details: { status },
    });
  });

  test.each([
    ['of another store with 404, as one that does not exist', 'foreign'],
    ['that does not exist with 404', 'unknown'],
  ])('an invoice %s', async (_rule, kind) => {
    const other = await openStore(contract.database);
    const transId = kind === 'unknown' ? UNKNOWN : await newInvoice();
    const answer = await post(transId, other.apiKey);
    expect(answer.status).toBe(404);
    expect(bodyOf(answer)).toMatchObject({ error_code: 'INVOICE_NOT_FOUND', details: { trans_id: transId } });
  });

  test.each([
    ['without a key', undefined, 401, 'MISSING_API_KEY'],
    ['with an unknown key', 'cf_live_nothing', 401, 'INVALID_API_KEY'],
  ])('%s', async (_rule, key, status, code) => {
    const answer = await call(contract, `/invoice/${UNKNOWN}/cancel`, {
      method: 'POST',
      ...(key !== undefined && { key }),
    });
    expect({ status: answer.status, code: bodyOf(answer)['error_code'] }).toEqual({ status, code });
  });

  test('for a malformed code with INVALID_TRANS_ID_FORMAT', async () => {
    const answer = await post('TID-1');
    expect({ status: answer.status, code: bodyOf(answer)['error_code'] }).toEqual({
      status: 400,
      code: 'INVALID_TRANS_ID_FORMAT',
    });
  });

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('as %s with 405', async (method) => {
    const answer = await call(contract, `/invoice/${UNKNOWN}/cancel`, { method, key: store.apiKey });
    expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
  });
});

test('cancels have the limits of create, counted apart from it', async () => {
  const limited = await openStore(contract.database, { plan: CONTRACT_PLAN });
  await contract.database.pool.query(
    `insert into admissions (bucket, endpoint, requested, burst_limit, burst_used, sustained_used, burst_started_at, sustained_started_at)
     values ($1, 'cancel', 0, 5, 0, 60, now() + interval '600 seconds', now() + interval '600 seconds')`,
    [`s${limited.id}`],
  );
  const refused = await post(UNKNOWN, limited.apiKey);
  expect(refused.status).toBe(429);
  expect(bodyOf(refused)).toMatchObject({
    error_code: 'RATE_LIMIT_EXCEEDED',
    message: 'Rate limit exceeded. Maximum 60 requests per minute.',
    limit_type: 'sustained',
  });
  expect(rateHeaders(refused).limit).toBe('60');
  expectCreated(await create(contract, limited));
});
