import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { afterCommit, inTransaction, tryPart } from './transaction.ts';

let own: TestDatabase;
let stores: TestStore[];
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  stores = [await openStore(own.database), await openStore(own.database)];
});
afterAll(() => own.drop());

const MAX_TRIES = 5;

/** A meeting point that resolves for all when the last of `count` has arrived. */
function createMeeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === count) resolve();
    return promise;
  };
}

test('of two transactions that lock each other out, the one the database ends is run again: both take effect', async () => {
  const [first, second] = stores;
  if (!first || !second) throw new Error('Two stores are needed.');
  const bothHoldTheirFirst = createMeeting(2);
  let runs = 0;
  const addInOrder = (ids: readonly bigint[]) => {
    let tries = 0;
    return inTransaction(own.database, async (tx) => {
      runs += 1;
      tries += 1;
      for (const id of ids) {
        await sql`update balances set available_micro_usd = available_micro_usd + 1 where store_id = ${id}`.execute(tx);
        if (tries === 1 && id === ids[0]) await bothHoldTheirFirst();
      }
    });
  };
  const before = await readBalances();
  await Promise.all([addInOrder([first.id, second.id]), addInOrder([second.id, first.id])]);
  // The database aborts one of the two, or both when both detect the deadlock at the same moment.
  expect(runs).toBeGreaterThanOrEqual(3);
  expect(await readBalances()).toEqual(before.map((balance) => balance + 2n));
});

async function readBalances(): Promise<bigint[]> {
  const rows = await own.database.queries
    .selectFrom('balances')
    .select('available_micro_usd')
    .orderBy('store_id')
    .execute();
  return rows.map((row) => row.available_micro_usd);
}

async function countTries(code: string): Promise<number> {
  let tries = 0;
  const work = inTransaction(own.database, async (tx) => {
    tries += 1;
    await sql`do ${sql.lit(`begin raise exception 'planted' using errcode = '${code}'; end`)}`.execute(tx);
  });
  await expect(work).rejects.toMatchObject({ code });
  return tries;
}

test.each(['40P01', '40001'])('%s that never ends is given up after a few tries', async (code) => {
  expect(await countTries(code)).toBe(MAX_TRIES);
});

test.each(['23505', '23514', '57014'])('%s is not retried: it would fail again', async (code) => {
  expect(await countTries(code)).toBe(1);
});

test('what a failed transaction wrote is gone', async () => {
  const before = await readBalances();
  const work = inTransaction(own.database, async (tx) => {
    await sql`update balances set available_micro_usd = available_micro_usd + 1`.execute(tx);
    throw new Error('planted');
  });
  await expect(work).rejects.toThrow('planted');
  expect(await readBalances()).toEqual(before);
});

test('an effect after commit happens once, and never for a transaction or a part that is rolled back', async () => {
  const effects: string[] = [];
  let tries = 0;
  await inTransaction(own.database, async (tx) => {
    tries += 1;
    afterCommit(tx, () => effects.push('whole'));
    await tryPart(
      tx,
      async () => {
        afterCommit(tx, () => effects.push('part'));
        await sql`select 1 / 0`.execute(tx);
      },
      () => undefined,
    );
    if (tries === 1) await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
    expect(effects).toEqual([]);
  });
  expect([tries, effects]).toEqual([2, ['whole']]);
  const failing = inTransaction(own.database, async (tx) => {
    afterCommit(tx, () => effects.push('failed'));
    await sql`select 1 / 0`.execute(tx);
  });
  await expect(failing).rejects.toThrow('division by zero');
  expect(effects).toEqual(['whole']);
});
