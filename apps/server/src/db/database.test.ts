import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { PATIENCE_MS } from '../../rig/database/role-database.ts';
import { closeDatabase, openDatabase, runPrepared } from './database.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const BACKEND = { name: 'backend', text: 'select pg_backend_pid() as pid' };
const REFUSED = { name: 'refused', text: 'select 1 / $1::integer as quotient' };

test('a statement that the database refuses keeps its connection and the plans on it', async () => {
  const database = openDatabase({ url: own.url, connections: 1, name: 'counterfoil-test' }, () => {});
  const before = await runPrepared(database.pool, BACKEND, []);
  await expect(runPrepared(database.pool, REFUSED, [0])).rejects.toMatchObject({ code: '22012' });
  expect(await runPrepared(database.pool, BACKEND, [])).toEqual(before);
  await closeDatabase(database);
});

test('a connection that dies in use fails its own statement only: the next one gets another connection', async () => {
  const database = openDatabase({ url: own.url, connections: 1, name: 'counterfoil-test' }, () => {});
  const suicide = { name: 'suicide', text: 'select pg_terminate_backend(pg_backend_pid())' };
  const before = await runPrepared(database.pool, BACKEND, []);
  await expect(runPrepared(database.pool, suicide, [])).rejects.toThrow(/terminat/);
  expect(await runPrepared(database.pool, BACKEND, [])).not.toEqual(before);
  await closeDatabase(database);
});

test('a connection that dies while idle is reported once and replaced', async () => {
  const failures: Error[] = [];
  const database = openDatabase({ url: own.url, connections: 1, name: 'counterfoil-test' }, (cause) =>
    failures.push(cause),
  );
  const [before] = await runPrepared<{ pid: number }>(database.pool, BACKEND, []);
  await own.database.pool.query('select pg_terminate_backend($1)', [before?.pid]);
  await expect.poll(() => failures.map((cause) => cause.message)).toHaveLength(1);
  expect(await runPrepared(database.pool, BACKEND, [])).not.toEqual([before]);
  await closeDatabase(database);
});

test('a connection that dies under the query builder does not end the process either', async () => {
  const { queries } = own.database;
  await expect(
    queries.transaction().execute(async (tx) => {
      const { pid } = await tx
        .selectNoFrom((column) => column.fn<number>('pg_backend_pid', []).as('pid'))
        .executeTakeFirstOrThrow();
      await own.database.pool.query('select pg_terminate_backend($1)', [pid]);
      await tx.selectFrom('plans').select('id').execute();
    }),
    // The error's text depends on who notices the loss first, the driver or the socket.
  ).rejects.toBeInstanceOf(Error);
  expect(await queries.selectFrom('plans').select('id').execute()).toEqual([]);
});

test('bigint columns arrive as bigint and numeric as text, because a float would round money', async () => {
  const { rows } = await own.database.pool.query('select 9007199254740993::bigint as whole, 0.1::numeric as part');
  expect(rows).toEqual([{ whole: 9007199254740993n, part: '0.1' }]);
});

test('a statement that runs away is ended by its time limit', async () => {
  const database = openDatabase(
    { url: own.url, connections: 1, waitMs: PATIENCE_MS, name: 'counterfoil-test' },
    () => {},
  );
  const { rows } = await database.pool.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '3s' }]);
  await closeDatabase(database);
});
