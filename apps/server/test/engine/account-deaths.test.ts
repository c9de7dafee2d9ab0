import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { dieAtFailpoint } from '../doomed-worker.ts';
import type { TestStore } from '../harness.ts';
import { eventsOf, lookUp, statusOf, transfersOf } from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
import { follow, makeDue, openQuote, openSolanaShop, openSolanaStore, pay, produceNow, settle } from './solana-shop.ts';

/** A worker that is killed at any point of its commits leaves nothing undone and nothing done twice. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  shop = await openSolanaShop();
  store = await openSolanaStore(shop);
});
afterAll(() => shop.close());

async function dieAt(failpoint: string): Promise<void> {
  await makeDue(shop);
  await dieAtFailpoint(shop.url, failpoint, { COUNTERFOIL_RPC_SOL: shop.node.url });
}

test.each([
  ['before-commit', 'before-proof'],
  ['recorded', 'proven'],
  ['in-commit', 'in-proof'],
  ['after-commit', 'after-proof'],
])('killed at %s and again at %s, the payment completes once', async (seen, settled) => {
  const { transId, quote } = await openQuote(shop, store);
  const hash = await pay(shop, quote);
  produceNow(shop, 2);
  await dieAt(`account:${seen}`);
  await follow(shop);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  produceNow(shop, 40);
  await dieAt(`account:${settled}`);
  await settle(shop);
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await eventsOf(shop, transId)).toHaveLength(1);
  expect(await transfersOf(shop, hash)).toHaveLength(1);
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
