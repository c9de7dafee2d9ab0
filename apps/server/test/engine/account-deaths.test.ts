import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-store.ts';
import type { TestStore } from '../harness.ts';
import { startWorker } from '../harness.ts';
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

/** Nobody listens there: no real host is ever asked for prices. */
const NOWHERE = 'http://127.0.0.1:9';
const DEATH_TIMEOUT_MS = 25_000;

async function dieAt(failpoint: string): Promise<void> {
  await makeDue(shop);
  const started = startWorker(shop.url, {
    COUNTERFOIL_RPC_SOL: shop.node.url,
    COUNTERFOIL_FAILPOINT: failpoint,
    COUNTERFOIL_POLL_MS: '50',
    COUNTERFOIL_LOG_LEVEL: 'error',
    COUNTERFOIL_PRICE_BINANCE_URL: NOWHERE,
    COUNTERFOIL_PRICE_KRAKEN_URL: NOWHERE,
    COUNTERFOIL_PRICE_COINBASE_URL: NOWHERE,
  });
  const worker = await started.catch((cause: unknown) => {
    // It was killed before it could say that it works.
    if (/exit code null/.test(String(cause))) return undefined;
    throw cause;
  });
  if (!worker || worker.child.signalCode !== null) return;
  const dead = once(worker.child, 'exit', { signal: AbortSignal.timeout(DEATH_TIMEOUT_MS) });
  const [, signal] = (await dead.catch(() => [])) as [number?, string?];
  if (signal === 'SIGKILL') return;
  await worker.stop();
  throw new Error(`The worker did not die at ${failpoint}: ${worker.output()}`);
}

test.each([
  ['before-commit', 'before-cover'],
  ['recorded', 'covered'],
  ['in-commit', 'in-cover'],
  ['after-commit', 'after-cover'],
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
