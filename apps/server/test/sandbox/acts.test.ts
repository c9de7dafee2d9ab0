import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Act } from '../../src/sandbox/act.ts';
import { planScenario } from '../../src/sandbox/act.ts';
import { explainTestInvoice } from '../../src/sandbox/explain-test-invoice.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { SandboxEngine } from '../../rig/sandbox/sandbox-engine.ts';
import {
  ask,
  createSandboxEngine,
  follow,
  isStopped,
  openInvoice,
  PAY,
  perform,
  PUT_BACK,
  request,
  statusOf,
  step,
  TAKE_BACK,
} from '../../rig/sandbox/sandbox-engine.ts';
import { TESTER } from '../../rig/stores/open-store.ts';

/** Acts of test stores: what each does, how many an invoice takes, and that none is lost. */

let own: TestDatabase;
let engine: SandboxEngine;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'), 12);
});
afterAll(() => own.drop());
beforeEach(async () => {
  engine = await createSandboxEngine(own);
});

const CONFIRM: Act = { kind: 'confirm' };

const context = () => ({ database: own.as('api'), clock: engine.clock, networks: NETWORKS });
const explain = (transId: string) => explainTestInvoice(context(), TESTER, { store: engine.store.ref, transId });

describe('reorgs', () => {
  test('what was taken back last is put back first, until every lost payment is back', async () => {
    const other = await openInvoice(engine, '26');
    const transId = await openInvoice(engine);
    for (const act of [PAY, PAY, TAKE_BACK, TAKE_BACK]) {
      await ask(engine, transId, act);
      await step(engine);
    }
    await ask(engine, other, PAY);
    await step(engine);
    expect(await statusOf(engine, other)).toBe('processing');
    for (let times = 0; times < 2; times += 1) {
      await ask(engine, transId, PUT_BACK);
      await step(engine);
      await step(engine);
    }
    expect(await isStopped(engine)).toBe(false);
    expect(await statusOf(engine, other)).toBe('completed');
  });

  test('a lost payment can be put back although its invoice was paid again', async () => {
    const transId = await openInvoice(engine);
    for (const act of [PAY, TAKE_BACK, PAY, PUT_BACK]) {
      await ask(engine, transId, act);
      await step(engine);
    }
    expect(await isStopped(engine)).toBe(false);
  });

  test('a scenario that takes a payment back after completion puts it back after a minute', async () => {
    const transId = await openInvoice(engine);
    await request(engine, transId, planScenario('reorg_after'));
    await perform(engine);
    await step(engine);
    await perform(engine);
    await step(engine);
    expect([await statusOf(engine, transId), await isStopped(engine)]).toEqual(['completed', true]);
    engine.clock.advance(60_000);
    await perform(engine);
    await step(engine);
    expect([await statusOf(engine, transId), await isStopped(engine)]).toEqual(['completed', false]);
  });

  test('a payment that is taken back when its address is no longer followed is gone', async () => {
    const transId = await openInvoice(engine);
    await ask(engine, transId, PAY);
    await step(engine);
    for (let hours = 0; hours < 30; hours += 2) {
      engine.clock.advance(7_200_000);
      await follow(engine);
    }
    const { rows } = await own.database.pool.query('select state from followed_accounts where account like $1', [
      `%${engine.store.merchantId}`,
    ]);
    expect(rows).toEqual([{ state: 'idle' }]);
    await ask(engine, transId, TAKE_BACK);
    await step(engine);
    await step(engine);
    expect((await explain(transId)).transfers.map(({ canonical }) => canonical)).toEqual([false]);
  });

  test('a slow payment that is confirmed and taken back before a reader looks pays nothing', async () => {
    const transId = await openInvoice(engine);
    await ask(engine, transId, { ...PAY, slow: true });
    await step(engine);
    expect(await statusOf(engine, transId)).toBe('processing');
    await ask(engine, transId, CONFIRM, TAKE_BACK);
    await step(engine);
    await step(engine);
    expect(await statusOf(engine, transId)).toBe('waiting');
  });
});
