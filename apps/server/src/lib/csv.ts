/** Comma-separated values by RFC 4180: records end with CR LF, cells are quoted where needed. */

declare const cell: unique symbol;

/** A cell as written. Only the functions below create one, so that every text is guarded. */
export type Cell = string & { readonly [cell]: true };

const NEEDS_QUOTES = /[",;\t\r\n]/;
/**
 * Where a spreadsheet may start a formula. Some read wide forms of the four signs as plain ones. European spreadsheets
 * often split by semicolons or tabs and ignore quotes inside a cell, so a formula can also begin after each of these
 * and on each line.
 */
const FORMULA_BEGINS =
  /^(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const EMPTY = '' as Cell;

const quote = (text: string) => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text) as Cell;

/** A text with an apostrophe wherever a formula could begin. */
export function textCell(text: string | null): Cell {
  return text === null ? EMPTY : quote(text.replace(FORMULA_BEGINS, "'"));
}

/** An exact decimal or integer, with its sign and all digits. */
export function numberCell(value: string | bigint | number | null): Cell {
  if (value === null) return EMPTY;
  const text = String(value);
  if (!DECIMAL.test(text)) throw new Error(`${text} is no exact decimal.`);
  return text as Cell;
}

/** ISO 8601 in UTC. */
export function timeCell(at: Date | null): Cell {
  return (at?.toISOString() ?? '') as Cell;
}

export function booleanCell(value: boolean | null): Cell {
  if (value === null) return EMPTY;
  return (value ? 'yes' : 'no') as Cell;
}

export function writeRecord(cells: readonly Cell[]): string {
  return `${cells.join(',')}\r\n`;
}

export function writeHeader(names: readonly string[]): string {
  return writeRecord(names.map(textCell));
}
