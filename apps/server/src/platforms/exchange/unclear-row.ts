import type { Token } from '../../networks/network.ts';
import type { StatementRow } from '../statement-source.ts';

type UnclearFacts = {
  id: string;
  token: Pick<Token, 'symbol'>;
  atMs: number;
  units?: bigint | undefined;
};

/** For unknown amounts; an unclear row is no payment in any case. */
const UNKNOWN_UNITS = 0n;

/** A possible payment that cannot be read, as a row, so that other payments are still found. */
export function unclearRow({ id, token, atMs, units = UNKNOWN_UNITS }: UnclearFacts): StatementRow {
  return { id, token: token.symbol, units, atMs, from: '', state: 'unclear' };
}

const MAX_ID_CHARACTERS = 64;

/** The id of an unreadable row: its own, or its time, which at least does not change. */
export function idOfUnreadable(id: unknown, atMs: number): string {
  return typeof id === 'string' && id !== '' ? id.slice(0, MAX_ID_CHARACTERS) : `unreadable ${atMs}`;
}
