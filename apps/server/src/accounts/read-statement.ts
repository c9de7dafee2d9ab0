import { SourceError } from '../sources/chain-source.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../platforms/statement-source.ts';
import type { TimeRange } from './plan-statement.ts';

/** 17 halvings reduce a day to a second. */
const MAX_HALVINGS = 17;

/** Reads a range; halves it when it has more rows than one read allows. */
export async function readStatement(
  source: StatementSource,
  key: ExchangeKey,
  { fromMs, toMs }: TimeRange,
  halvings = 0,
): Promise<StatementRow[]> {
  try {
    return await source.readStatement(key, fromMs, toMs);
  } catch (cause) {
    const isTooLong = cause instanceof SourceError && cause.kind === 'range' && fromMs < toMs;
    if (!isTooLong || halvings >= MAX_HALVINGS) throw cause;
    const middleMs = Math.floor((fromMs + toMs) / 2);
    return [
      ...(await readStatement(source, key, { fromMs, toMs: middleMs }, halvings + 1)),
      ...(await readStatement(source, key, { fromMs: middleMs + 1, toMs }, halvings + 1)),
    ];
  }
}
