import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { killWorkerAt } from '../../rig/processes/kill-worker-at.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { eventsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  follow,
  makeDue,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** A worker that is killed at any point of its commits leaves nothing undone and nothing done twice. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  store = await openSolanaStore(engine);
});
afterAll(() => engine.close());

async function dieAt(failpoint: string): Promise<void> {
  await makeDue(engine);
  await killWorkerAt(engine.url, failpoint, { COUNTERFOIL_RPC_SOL: engine.node.url });
}

test.each([
  ['before-commit', 'before-proof'],
  ['recorded', 'proven'],
  ['in-commit', 'in-proof'],
  ['after-commit', 'after-proof'],
])('killed at %s and again at %s, the payment completes once', async (seen, settled) => {
  const { transId, quote } = await openQuote(engine, store);
  const hash = await pay(engine, quote);
  produceNow(engine, 2);
  await dieAt(`account:${seen}`);
  await follow(engine);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  produceNow(engine, 40);
  await dieAt(`account:${settled}`);
  await settle(engine);
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await eventsOf(engine, transId)).toHaveLength(1);
  expect(await transfersOf(engine, hash)).toHaveLength(1);
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});
