import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Contract } from './contract-client.ts';
import {
  create,
  expectCreated,
  expectFound,
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
afterAll(() => contract.close());

const find = async (transId: string) => expectFound(await lookup(contract, store.apiKey, transId));
const createInvoice = async () => expectCreated(await create(contract, store)).data.trans_id;

/** Lookups after each transition; the payment engine makes the transitions themselves. */
describe('states and transitions', () => {
  test('(creation) | create-invoice call, valid request | waiting | trans_id and url_payment returned', async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(data.status).toBe('waiting');
    expect(data.url_payment).toBe(`https://checkout.example/bill/${data.trans_id}`);
    expect((await find(data.trans_id)).status).toBe('waiting');
  });

  test('waiting | completed | transaction_hash, from_address, fee_amount, callback_status become visible', async () => {
    const transId = await createInvoice();
    const before = await find(transId);
    await setStatus(contract.database, transId, 'completed');
    expect(await find(transId)).toStrictEqual({
      ...before,
      status: 'completed',
      transaction_hash: SETTLEMENT.hash,
      from_address: SETTLEMENT.from,
      fee_amount: '0.25',
      callback_status: null,
    });
  });

  test('waiting | expired | nothing but the status changes', async () => {
    const transId = await createInvoice();
    const before = await find(transId);
    await setStatus(contract.database, transId, 'expired');
    expect(await find(transId)).toStrictEqual({ ...before, status: 'expired' });
  });

  test('processing | nothing but the status changes', async () => {
    const transId = await createInvoice();
    const before = await find(transId);
    await setStatus(contract.database, transId, 'processing');
    expect(await find(transId)).toStrictEqual({ ...before, status: 'processing' });
  });

  test('a newly created invoice has status waiting', async () => {
    expect((await find(await createInvoice())).status).toBe('waiting');
  });

  test('token/network selection on the checkout page adds the selection fields to the invoice', async () => {
    const transId = await createInvoice();
    const before = await find(transId);
    await selectToken(contract.database, transId);
    expect(await find(transId)).toStrictEqual({
      ...before,
      token_symbol: SELECTION.token,
      network_symbol: SELECTION.network,
      token_amount: SELECTION.amount,
      token_price: SELECTION.price,
      to_address: SELECTION.toAddress,
    });
  });
});
