import type { ChainPosition } from '../sources/account-source.ts';
import type { Pass } from '../sources/chain-source.ts';

/**
 * Where first reads ended, and their age. A second read covers a range whose first read is old enough or from another
 * provider: the same node would repeat its mistake.
 */

/** `ageSeconds` is measured by the database's clock. */
export type ReadEnd = ChainPosition & { ageSeconds: number };

export type ReadEnds = {
  /** Where the newest first read ended. */
  cursor: ReadEnd;
  /** An earlier end, because frequent first reads keep the newest one from ever being old enough for a second read. */
  earlier: ReadEnd | undefined;
  /** How far the account is covered; undefined until its start height is known. */
  covered: ChainPosition | undefined;
  readBy: string | undefined;
};

/** The newest end above coverage that is at least `ageSeconds` old. */
export function agedEnd({ cursor, earlier, covered }: ReadEnds, ageSeconds: number): ChainPosition | undefined {
  const aged = [cursor, earlier].find((end) => end !== undefined && end.ageSeconds >= ageSeconds);
  return aged && aged.height > (covered?.height ?? 0) ? aged : undefined;
}

/** Whether `earlier` stays when the cursor moves; otherwise the old cursor replaces it. */
export function keepsEarlier({ earlier, covered }: ReadEnds): boolean {
  return earlier !== undefined && earlier.height > (covered?.height ?? 0);
}

/** The provider of every first read above coverage, after one more by `by`; undefined if there were several. */
export function readerAfter({ cursor, covered, readBy }: ReadEnds, by: string): string | undefined {
  const isFirst = cursor.height <= (covered?.height ?? 0);
  return isFirst || readBy === by ? by : undefined;
}

export type SecondReadLimits = {
  finalized: ChainPosition;
  /** How old a first read must be before a second read covers its range. */
  ageSeconds: number;
  providers: readonly string[];
};

/** A possible second read: its last block and its provider. */
type SecondReadWay = { upTo: ChainPosition; pass: Pass };

/** Possible second reads, best first: now by another provider, or by any once the first read is old enough. */
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
    .map(({ upTo, pass }) => ({ upTo: lowerPosition(upTo, finalized), pass }))
    .filter(({ upTo }) => upTo.height > (covered?.height ?? 0));
}

export function lowerPosition(left: ChainPosition, right: ChainPosition): ChainPosition {
  const { height, time } = left.height <= right.height ? left : right;
  return { height, time };
}
