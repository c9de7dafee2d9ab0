import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { arrayText } from './preparing-pool.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const TEXTS = [
  '',
  'plain',
  'a,b',
  '{x}',
  'NULL',
  ' spaced ',
  'say "no"',
  String.raw`back\slash`,
  '\\"',
  'é\n\t',
  'say\n"no"',
  '"\u{1f600}"',
  JSON.stringify({ a: '"\n' }),
  null,
];

test('texts of every kind arrive as they were sent', async () => {
  const { rows } = await sql<{ texts: string[] }>`select ${TEXTS}::text[] as texts`.execute(own.database.queries);
  expect(rows).toEqual([{ texts: TEXTS }]);
});

test('numbers, booleans and null arrive as they were sent', async () => {
  const whole = [9007199254740993n, -1n];
  const { rows } = await sql`
    select ${whole}::bigint[] = '{9007199254740993,-1}' as whole, ${[0.5, 1e21]}::float8[] = '{0.5,1e21}' as parts,
      ${[true, false]}::boolean[] = '{t,f}' as truths, ${[]}::text[] = '{}' as none`.execute(own.database.queries);
  expect(rows).toEqual([{ whole: true, parts: true, truths: true, none: true }]);
});

test('values that only the driver can write are left to it', async () => {
  const times = [new Date(0)];
  expect(arrayText(times)).toBe(times);
  const { rows } = await sql`select (${times}::timestamptz[])[1] as at`.execute(own.database.queries);
  expect(rows).toEqual([{ at: times[0] }]);
});

test('a statement is planned once on a connection, unless a migration could change its columns', async () => {
  const named = await own.database.queries.connection().execute(async (connection) => {
    for (const value of [1, 2]) await sql`select ${value}::integer as once`.execute(connection);
    await connection.selectFrom('plans').selectAll().where('code', '=', 'none').execute();
    await connection.selectFrom('plans').select('id').where('code', '=', 'none').execute();
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where not from_sql and statement like any(array['%once%', '%plans%'])`.execute(
      connection,
    );
    return rows.map((row) => row.statement);
  });
  expect(named.filter((text) => text.startsWith('select $1::integer as once'))).toHaveLength(1);
  expect(named.filter((text) => text.includes('select "id" from "plans"'))).toHaveLength(1);
  expect(named.filter((text) => text.includes('select *'))).toHaveLength(0);
});

test('a refused statement leaves the connection and its transaction usable', async () => {
  const { queries } = own.database;
  await expect(sql`select 1 / ${0}::integer`.execute(queries)).rejects.toMatchObject({ code: '22012' });
  const { rows } = await sql`select 1 / ${1}::integer as quotient`.execute(queries);
  expect(rows).toEqual([{ quotient: 1 }]);
});
