import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { readChanges, readPosition, recordChanges } from './change-feed-sql.ts';
import { createPruneChangeFeed } from './prune-change-feed.ts';

const LIMIT = 100;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const change = (invoiceId: bigint) => inTransaction(own.database, (tx) => recordChanges(tx, [invoiceId]));

/** Opens a transaction that has changed an invoice and is not committed. */
async function changeSlowly(invoiceId: bigint): Promise<pg.PoolClient> {
  const client = await own.database.pool.connect();
  await client.query('begin');
  await client.query('insert into invoice_changes (invoice_id) values ($1)', [invoiceId]);
  return client;
}

async function commit(client: pg.PoolClient): Promise<void> {
  await client.query('commit');
  client.release();
}

test('a transaction that began earlier and commits later is not skipped', async () => {
  const start = await readPosition(own.database.pool);
  const slow = await changeSlowly(1n);
  await change(2n);
  const first = await readChanges(own.database.pool, start, LIMIT);
  await commit(slow);
  const second = await readChanges(own.database.pool, first.next, LIMIT);
  expect([first.invoiceIds, second.invoiceIds]).toEqual([[2n], [1n]]);
});

test('a change that commits beside a slow transaction is read at once and once, not when that ends', async () => {
  const slow = await changeSlowly(3n);
  const { next } = await readChanges(own.database.pool, await readPosition(own.database.pool), LIMIT);
  await change(4n);
  const beside = await readChanges(own.database.pool, next, LIMIT);
  const after = await readChanges(own.database.pool, beside.next, LIMIT);
  await commit(slow);
  const last = await readChanges(own.database.pool, after.next, LIMIT);
  expect([beside, after, last].map((changes) => changes.invoiceIds)).toEqual([[4n], [], [3n]]);
});

test('a change that is rolled back is never read', async () => {
  const start = await readPosition(own.database.pool);
  const slow = await changeSlowly(5n);
  await slow.query('rollback');
  slow.release();
  expect((await readChanges(own.database.pool, start, LIMIT)).invoiceIds).toEqual([]);
});

test('a change that was read is not read again', async () => {
  const start = await readPosition(own.database.pool);
  await change(6n);
  const first = await readChanges(own.database.pool, start, LIMIT);
  const second = await readChanges(own.database.pool, first.next, LIMIT);
  expect([first.invoiceIds, second.invoiceIds]).toEqual([[6n], []]);
});

test('many writers and a reader that never waits: every change is read once, however they overlap', async () => {
  const writers = 3;
  const each = 60;
  let position = await readPosition(own.database.pool);
  const told: bigint[] = [];
  const write = async (writer: number) => {
    for (let index = 0; index < each; index += 1) {
      const client = await changeSlowly(BigInt(1_000 + writer * each + index));
      await client.query('select pg_sleep(random() * 0.004)');
      await commit(client);
    }
  };
  let writing = true;
  const written = Promise.all(Array.from({ length: writers }, (_unused, writer) => write(writer))).finally(() => {
    writing = false;
  });
  for (let last = false; !last;) {
    last = !writing;
    const changes = await readChanges(own.database.pool, position, LIMIT * LIMIT);
    told.push(...changes.invoiceIds);
    position = changes.next;
  }
  await written;
  expect([told.length, new Set(told).size]).toEqual([writers * each, writers * each]);
});

test('changes are deleted a round after they were made, and not before', async () => {
  const trim = createPruneChangeFeed(own.database);
  const count = async () => (await own.database.pool.query('select from invoice_changes')).rowCount;
  await change(7n);
  const kept = await count();
  await trim();
  expect(await count()).toBe(kept);
  await change(8n);
  await trim();
  expect(await count()).toBe(1);
});
