import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

type ColumnType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'float8'
  | 'integer'
  | 'numeric'
  | 'smallint'
  | 'text'
  | 'timestamptz';

type Column<Row> = readonly [type: ColumnType, pick: (row: Row, place: number) => unknown];

/**
 * Writes rows as a table of a statement, `unnest(...) as alias (columns)`: one array for each column, so that the text
 * of the statement is the same for any number of rows.
 */
export function unnestRows<Row>(
  rows: readonly Row[],
  alias: string,
  columns: Readonly<Record<string, Column<Row>>>,
): RawBuilder<unknown> {
  const arrays = Object.values(columns).map(
    ([type, pick]) => sql`${rows.map((row, place) => pick(row, place))}::${sql.raw(type)}[]`,
  );
  const names = Object.keys(columns).map((name) => sql.id(name));
  return sql`unnest(${sql.join(arrays)}) as ${sql.id(alias)} (${sql.join(names)})`;
}
