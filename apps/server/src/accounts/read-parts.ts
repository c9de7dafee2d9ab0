import { SourceError } from '../sources/chain-source.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../platforms/statement-source.ts';
import type { TimeRange } from './plan-statement.ts';

/** Rows of a range from its beginning, complete up to `toMs`. */
export type PartialRead = {
  rows: StatementRow[];
  toMs: number;
  /** The refusal of the rest of the range, if any. */
  refusal: SourceError | undefined;
};

type PartsOptions = {
  /** Length of the first part; it doubles until a part is refused as too large. */
  firstMs: number;
  /** Whether the rows so far are enough. */
  isEnough?: (rows: readonly StatementRow[]) => boolean;
};

/** How often a refused part is shortened. */
const MAX_CUTS = 17;
const HALF = 2;

/** A shorter length for a refused part: as suggested, and at most half. */
const shorter = ({ suggestedRange }: SourceError, partMs: number) =>
  Math.max(1, Math.min(suggestedRange ?? partMs, Math.floor(partMs / HALF)));

/**
 * Reads a range in parts, oldest first. Parts count even if the rest is refused: an account with many rows could
 * otherwise never be read again after a gap. Throws when no part was read.
 */
export async function readParts(
  source: StatementSource,
  key: ExchangeKey,
  { fromMs, toMs }: TimeRange,
  { firstMs, isEnough = () => false }: PartsOptions,
): Promise<PartialRead> {
  const rows: StatementRow[] = [];
  let [readToMs, partMs, cuts] = [fromMs - 1, firstMs, 0];
  while (readToMs < toMs) {
    const part = { fromMs: readToMs + 1, toMs: Math.min(toMs, readToMs + partMs) };
    try {
      const shown = await source.readStatement(key, part.fromMs, part.toMs);
      rows.push(...shown);
      readToMs = part.toMs;
      if (isEnough(shown)) break;
      if (cuts === 0) partMs *= 2;
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause;
      cuts += 1;
      if (cause.kind === 'range' && part.fromMs < part.toMs && cuts <= MAX_CUTS)
        partMs = shorter(cause, part.toMs - part.fromMs + 1);
      else if (readToMs < fromMs) throw cause;
      else return { rows, toMs: readToMs, refusal: cause };
    }
  }
  return { rows, toMs: readToMs, refusal: undefined };
}
