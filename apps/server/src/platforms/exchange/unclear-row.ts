import type { Token } from '../../networks/network.ts';
import type { StatementRow } from '../statement-source.ts';

type UnclearFacts = {
  id: string;
  token: Pick<Token, 'symbol'>;
  atMs: number;
  /** The amount where it is known; none is said otherwise. */
  units?: bigint | undefined;
};

/** An amount that is not known: an unclear row is no payment, whatever it holds. */
const UNKNOWN_UNITS = 0n;

/**
 * The row of something that may be a payment and cannot be read, or told from another. It stands beside the rows that can be:
 * one of them must not keep the others from being found.
 */
export function unclearRow({ id, token, atMs, units = UNKNOWN_UNITS }: UnclearFacts): StatementRow {
  return { id, token: token.symbol, units, atMs, from: '', state: 'unclear' };
}

/** Characters of an id that are kept, as the longest of any platform. */
const MAX_ID_CHARACTERS = 64;

/** The id of a row that cannot be read: its own where it has one, else its time, which at least does not change. */
export function idOfUnreadable(id: unknown, atMs: number): string {
  return typeof id === 'string' && id !== '' ? id.slice(0, MAX_ID_CHARACTERS) : `unreadable ${atMs}`;
}
