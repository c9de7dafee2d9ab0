import type { Token } from '../../networks/network.ts';
import type { StatementRow } from '../statement-source.ts';

type UnclearFacts = {
  id: string;
  token: Pick<Token, 'symbol'>;
  atMs: number;
  /** The amount; undefined where it is not known. */
  units?: bigint | undefined;
};

/** The amount of an unclear row where it is not known; an unclear row is no payment, whatever its amount. */
const UNKNOWN_UNITS = 0n;

/**
 * The row of something that may be a payment but cannot be read, or cannot be told from another payment. The unclear
 * row is listed beside the readable rows, so that other payments are still found.
 */
export function unclearRow({ id, token, atMs, units = UNKNOWN_UNITS }: UnclearFacts): StatementRow {
  return { id, token: token.symbol, units, atMs, from: '', state: 'unclear' };
}

/** How many characters of an id are kept: as many as the longest id of any platform has. */
const MAX_ID_CHARACTERS = 64;

/** The id of a row that cannot be read: its own id where it has one, else its time, which at least does not change. */
export function idOfUnreadable(id: unknown, atMs: number): string {
  return typeof id === 'string' && id !== '' ? id.slice(0, MAX_ID_CHARACTERS) : `unreadable ${atMs}`;
}
