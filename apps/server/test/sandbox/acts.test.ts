import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { StoreRef } from '../../src/db/store-ref.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import type { Act } from '../../src/sandbox/act.ts';
import { atOnce, planScenario } from '../../src/sandbox/act.ts';
import { findDueStores } from '../../src/sandbox/act-sql.ts';
import { explainTestInvoice } from '../../src/sandbox/explain-test-invoice.ts';
import { performActs } from '../../src/sandbox/perform-acts.ts';
import { requestActs } from '../../src/sandbox/request-acts.ts';
import { requestFault } from '../../src/sandbox/request-fault.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { endWaits } from '../../rig/database/end-waits.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { SandboxEngine } from '../../rig/sandbox/sandbox-engine.ts';
import {
  ask,
  createSandboxEngine,
  expire,
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
import { openStore, TESTER } from '../../rig/stores/open-store.ts';

/** Actions of test stores: what each does, how many an invoice takes, and that none is lost. */

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
const SECOND: Act = { kind: 'advance', seconds: 1 };

const context = () => ({ database: own.as('api'), clock: engine.clock, networks: NETWORKS });
const explain = (transId: string) => explainTestInvoice(context(), TESTER, { store: engine.store.ref, transId });

/** Requests an action with the store's API key. */
const askByKey = (transId: string, act: Act) =>
  requestActs(context(), TESTER, { store: engine.store.ref, transId, plan: [atOnce(act)] });

/** Stores an invoice's actions as performed, with the given outcome. */
const insertDone = (transId: string, act: Act, outcome: { done: boolean }, count: number) =>
  own.database.pool.query(
    `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at, done_at, outcome)
     select store_id, id, $2, now(), now(), now(), $3 from invoices, generate_series(1, $4) where trans_id = $1`,
    [transId, JSON.stringify(act), JSON.stringify(outcome), count],
  );

async function countActs(transId: string): Promise<number> {
  const { rows } = await own.database.pool.query(
    'select from sandbox_acts a join invoices i on i.id = a.invoice_id where i.trans_id = $1',
    [transId],
  );
  return rows.length;
}

/** Asks for an outage of a store. */
const failNode = (store: StoreRef, seconds: number) =>
  requestFault(context(), TESTER, { store, fault: 'outage', seconds });

/**
 * Locks the followed account of the test store; the function that is returned ends the lock, which ends with the test at
 * the latest.
 */
const lockFollowed = async () => {
  const holder = await own.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from followed_accounts where account like $1 for update', [`%${engine.store.merchantId}`]);
  let locked = true;
  const unlock = async () => {
    if (!locked) return;
    locked = false;
    await holder.query('commit');
    holder.release();
  };
  onTestFinished(unlock);
  return unlock;
};

/** Whether an action waits for a followed account. */
const isWaiting = async () => (await countWaits(own.database, 'update followed_accounts')) > 0;

const findDue = (from: bigint, limit: number) =>
  findDueStores(own.as('worker').queries, new Date(engine.clock.nowMs()), { after: from, limit });

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

describe('limits', () => {
  test('acts that mended nothing do not count', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, CONFIRM, { done: false }, 100);
    await ask(engine, transId, PAY);
    await step(engine);
    await ask(engine, transId, TAKE_BACK);
    await expect(askByKey(transId, PUT_BACK)).resolves.toHaveLength(1);
  });

  test('visitors leave half of the mending acts to the API key', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, PUT_BACK, { done: true }, 50);
    await expect(request(engine, transId, [atOnce(PUT_BACK)])).rejects.toMatchObject({ code: 'TOO_MANY_ACTS' });
    await expect(askByKey(transId, PUT_BACK)).resolves.toHaveLength(1);
    await insertDone(transId, PUT_BACK, { done: true }, 49);
    await expect(askByKey(transId, PUT_BACK)).rejects.toMatchObject({ code: 'TOO_MANY_ACTS' });
  });

  test('a confirmation inside a plan counts as one that is asked for alone', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, CONFIRM, { done: true }, 50);
    await expect(request(engine, transId, planScenario('slow'))).rejects.toMatchObject({ code: 'TOO_MANY_ACTS' });
  });

  test('of the acts that mended nothing an invoice keeps fifty', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, CONFIRM, { done: false }, 60);
    await ask(engine, transId, CONFIRM);
    expect(await countActs(transId)).toBe(50);
  });

  test('requests at the same moment cannot together exceed the acts of one invoice', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, SECOND, { done: true }, 40);
    await Promise.allSettled(Array.from({ length: 40 }, () => request(engine, transId, [atOnce(SECOND)])));
    expect(await countActs(transId)).toBe(50);
  });

  test('the explanation shows the newest acts, as many as an invoice takes, in their order', async () => {
    const transId = await openInvoice(engine);
    await insertDone(transId, SECOND, { done: true }, 50);
    await insertDone(transId, CONFIRM, { done: true }, 100);
    await insertDone(transId, PUT_BACK, { done: false }, 1);
    const { acts } = await explain(transId);
    expect(acts).toHaveLength(150);
    expect([acts[0]?.act, acts.at(-1)?.act]).toEqual([SECOND, PUT_BACK]);
  });

  test('a store has at most fifty faults that have not begun yet', async () => {
    const { ref } = engine.store;
    const asked = await Promise.allSettled(Array.from({ length: 60 }, () => failNode(ref, 1)));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toHaveLength(10);
    expect(refused.every((cause) => cause instanceof Refusal && cause.code === 'TOO_MANY_FAULTS')).toBe(true);
    for (let rounds = 0; rounds < 6; rounds += 1) await perform(engine);
    await expect(failNode(ref, 1)).resolves.toHaveLength(1);
  });

  test('an outage that is asked for again ends once, when the newest is over', async () => {
    await failNode(engine.store.ref, 60);
    await failNode(engine.store.ref, 30);
    await perform(engine);
    const { rows } = await own.database.pool.query<{ seconds: number }>(
      `select extract(epoch from due_at - asked_at)::float8 as seconds from sandbox_acts
       where store_id = $1 and act ->> 'kind' = 'recover'`,
      [engine.store.id],
    );
    expect(rows).toEqual([{ seconds: 30 }]);
  });
});

describe('locks', () => {
  test('an act that waited too long for a lock is performed later, and before the acts behind it', async () => {
    const transId = await openInvoice(engine);
    await request(engine, transId, [{ kind: 'advance', seconds: 7_200 } as const, PAY].map(atOnce));
    const unlock = await lockFollowed();
    await endWaits(own.database, perform(engine));
    expect((await explain(transId)).acts.map(({ doneAt }) => doneAt)).toEqual([null, null]);
    await unlock();
    await perform(engine);
    await step(engine);
    await expire(engine);
    expect((await explain(transId)).acts.map(({ outcome }) => outcome?.done)).toEqual([true, true]);
    expect(await statusOf(engine, transId)).toBe('expired');
  });

  test('an act that waited too long for a lock ten times is given up and noted', async () => {
    const transId = await openInvoice(engine);
    await request(engine, transId, [atOnce(SECOND)]);
    await own.database.pool.query('update sandbox_acts set tries = 9 where store_id = $1', [engine.store.id]);
    const unlock = await lockFollowed();
    await endWaits(own.database, perform(engine));
    await unlock();
    expect((await explain(transId)).acts).toMatchObject([{ outcome: { done: false, note: 'others were in the way' } }]);
  });

  test('acts that wait for the reader of a followed account hold no invoice that the reader needs', async () => {
    const transId = await openInvoice(engine);
    await ask(engine, transId, { ...PAY, slow: true });
    engine.clock.advance(1_000);
    let acting: Promise<void> | undefined;
    let free: boolean | undefined;
    const failpoint = async (name: string) => {
      if (name !== 'account:recorded' || acting) return;
      await request(engine, transId, [atOnce({ ...PAY, slow: true }), atOnce(SECOND)]);
      acting = perform(engine);
      await waitUntil(isWaiting, { what: 'No act waits.', pollMs: 10 });
      const { rows } = await own.database.pool.query(
        'select from invoices where trans_id = $1 for update skip locked',
        [transId],
      );
      free = rows.length === 1;
    };
    await follow({ ...engine, follower: { ...engine.follower, failpoint } });
    await acting;
    expect(free).toBe(true);
  });
});

describe('turns', () => {
  test('a round begins behind the store where the last full round ended', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openStore(own.database, { test: true, clock: engine.clock })));
    const ids = stores.map(({ id }) => id).toSorted((left, right) => Number(left - right));
    const after = (ids[0] ?? 0n) - 1n;
    for (const { ref } of stores) await requestFault(context(), TESTER, { store: ref, fault: 'prices', seconds: 60 });
    expect(await findDue(after, 2)).toEqual(ids.slice(0, 2));
    expect(await findDue(ids[1] ?? 0n, 2)).toEqual(ids.slice(2));
  });

  test('a round that found all stores is followed by one from the beginning', async () => {
    await request(engine, await openInvoice(engine), [atOnce(SECOND)]);
    const turn = { after: engine.store.id };
    const performing = { ...context(), database: own.as('worker'), log: engine.follower.log, turn };
    await performActs(performing);
    expect(turn).toEqual({ after: 0n });
    expect(await performActs(performing)).toBe(true);
  });
});
