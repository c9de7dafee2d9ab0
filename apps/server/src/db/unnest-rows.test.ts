import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { expect, test } from 'vitest';
import { unnestRows } from './unnest-rows.ts';

const queries = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const compile = (rows: readonly { storeId: bigint; fee: string | null }[]) =>
  sql`select * from ${unnestRows(rows, 'h', {
    store_id: ['bigint', (row) => row.storeId],
    fee: ['numeric', (row) => row.fee],
    place: ['integer', (_row, place) => place],
  })}`.compile(queries);

test('rows become one array for each column, and the text does not depend on how many there are', () => {
  const one = compile([{ storeId: 7n, fee: '0.5' }]);
  const two = compile([
    { storeId: 7n, fee: '0.5' },
    { storeId: 8n, fee: null },
  ]);
  expect(one.sql).toBe(
    'select * from unnest($1::bigint[], $2::numeric[], $3::integer[]) as "h" ("store_id", "fee", "place")',
  );
  expect(two.sql).toBe(one.sql);
  expect(two.parameters).toEqual([
    [7n, 8n],
    ['0.5', null],
    [0, 1],
  ]);
});
