/** Comma-separated values by RFC 4180: records that end with CR LF, cells in quotation marks where they need them. Pure. */

declare const cell: unique symbol;

/** A cell as it stands in the file. Only the functions below make one, so no text gets there without its guard. */
export type Cell = string & { readonly [cell]: true };

const NEEDS_QUOTES = /[",;\t\r\n]/;
/**
 * Places from which on a spreadsheet takes a text for a formula. Wide forms of the four signs count too: some
 * spreadsheets read them as the plain ones. Much of Europe's spreadsheets cut files by semicolons or tabs, and heed no
 * quotation mark in the middle of a cell, so a formula can also begin after each of these and on each line.
 */
const FORMULA_BEGINS =
  /^(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])|(?<=[;\t\r\n])(?="*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const EMPTY = '' as Cell;

const quote = (text: string) => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text) as Cell;

/** A text, with an apostrophe wherever a spreadsheet would take what follows for a formula. */
export function textCell(text: string | null): Cell {
  return text === null ? EMPTY : quote(text.replace(FORMULA_BEGINS, "'"));
}

/** An exact decimal or a whole number, which keeps its sign and all of its digits. */
export function numberCell(value: string | bigint | number | null): Cell {
  if (value === null) return EMPTY;
  const text = String(value);
  if (!DECIMAL.test(text)) throw new Error(`${text} is no exact decimal.`);
  return text as Cell;
}

/** A moment in UTC, by ISO 8601. */
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
