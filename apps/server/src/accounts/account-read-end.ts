import type { AccountMark } from '../sources/account-source.ts';
import type { Pass } from '../sources/chain-source.ts';

/**
 * Where first reads of an account ended, and how old they are. A second read covers what was read first long enough ago, or
 * what another provider read first: the same question to the same node a moment later would only repeat its mistake.
 */

/** In database time. */
export type ReadEnd = AccountMark & { ageSeconds: number };

export type ReadEnds = {
  /** Where the last first read ended. */
  cursor: ReadEnd;
  /** An end before that one, kept while reads follow each other closely. */
  earlier: ReadEnd | undefined;
  /** Undefined before the account's first height is decided. */
  covered: AccountMark | undefined;
  /** The provider that made every first read above coverage; undefined when there were several, or none. */
  readBy: string | undefined;
};

/** The newest end that is old enough and above coverage. */
export function agedEnd({ cursor, earlier, covered }: ReadEnds, ageSeconds: number): AccountMark | undefined {
  const aged = [cursor, earlier].find((end) => end !== undefined && end.ageSeconds >= ageSeconds);
  return aged && aged.height > (covered?.height ?? 0) ? aged : undefined;
}

/** Whether the earlier end stays when the cursor moves on; otherwise the old cursor takes its place. */
export function keepsEarlier({ earlier, covered }: ReadEnds): boolean {
  return earlier !== undefined && earlier.height > (covered?.height ?? 0);
}

/** Who made every first read above coverage, once `by` has made another. */
export function readerAfter({ cursor, covered, readBy }: ReadEnds, by: string): string | undefined {
  const isFirst = cursor.height <= (covered?.height ?? 0);
  return isFirst || readBy === by ? by : undefined;
}

export type SecondReadLimits = {
  finalized: AccountMark;
  /** How old a first read must be before a second one covers it. */
  ageSeconds: number;
  providers: readonly string[];
};

/** One way to read again: up to where, and who is asked. */
export type SecondReadWay = { upTo: AccountMark; pass: Pass };

/**
 * The ways in which a second read may cover something, the better first: at once by another provider than the one that read
 * first, or whoever answers once the first read is old enough.
 */
export function secondReadWays(
  ends: ReadEnds,
  { finalized, ageSeconds, providers }: SecondReadLimits,
): SecondReadWay[] {
  const { cursor, covered, readBy } = ends;
  const aged = agedEnd(ends, ageSeconds);
  const ways: SecondReadWay[] = [];
  if (readBy !== undefined && providers.length > 1) ways.push({ upTo: cursor, pass: { not: readBy } });
  if (aged) ways.push({ upTo: aged, pass: 'second' });
  return ways
    .map(({ upTo, pass }) => ({ upTo: lowerMark(upTo, finalized), pass }))
    .filter(({ upTo }) => upTo.height > (covered?.height ?? 0));
}

export function lowerMark(left: AccountMark, right: AccountMark): AccountMark {
  const { height, time } = left.height <= right.height ? left : right;
  return { height, time };
}
