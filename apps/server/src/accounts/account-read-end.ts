import type { ChainPosition } from '../sources/account-source.ts';
import type { Pass } from '../sources/chain-source.ts';

/**
 * Where the first reads of a followed account ended, and how old these reads are. A second read covers a range whose
 * first read is old enough or came from another provider: the same node asked at once would repeat its mistake.
 */

/** `ageSeconds` is measured by the database's clock. */
export type ReadEnd = ChainPosition & { ageSeconds: number };

export type ReadEnds = {
  /** Where the newest first read ended. */
  cursor: ReadEnd;
  /**
   * The end of an earlier first read. It is kept because first reads may follow each other so closely that the newest
   * one is never old enough for a second read.
   */
  earlier: ReadEnd | undefined;
  /** How far the followed account is covered; undefined until its start height is known. */
  covered: ChainPosition | undefined;
  /** The provider that made every first read above coverage; undefined when there were several, or none. */
  readBy: string | undefined;
};

/** The newest end of a first read that is above coverage and at least `ageSeconds` old. */
export function agedEnd({ cursor, earlier, covered }: ReadEnds, ageSeconds: number): ChainPosition | undefined {
  const aged = [cursor, earlier].find((end) => end !== undefined && end.ageSeconds >= ageSeconds);
  return aged && aged.height > (covered?.height ?? 0) ? aged : undefined;
}

/**
 * Whether `earlier` stays when the cursor moves, because it is above coverage; otherwise the old cursor becomes
 * `earlier`.
 */
export function keepsEarlier({ earlier, covered }: ReadEnds): boolean {
  return earlier !== undefined && earlier.height > (covered?.height ?? 0);
}

/**
 * The provider that made every first read above coverage, after `by` made one more; undefined when several providers
 * did.
 */
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

/** One possible second read: up to which block, and which provider is asked. */
type SecondReadWay = { upTo: ChainPosition; pass: Pass };

/**
 * Possible second reads, the better one first: at once from another provider than made the first reads, or from any
 * provider once the first read is old enough.
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
    .map(({ upTo, pass }) => ({ upTo: lowerPosition(upTo, finalized), pass }))
    .filter(({ upTo }) => upTo.height > (covered?.height ?? 0));
}

export function lowerPosition(left: ChainPosition, right: ChainPosition): ChainPosition {
  const { height, time } = left.height <= right.height ? left : right;
  return { height, time };
}
