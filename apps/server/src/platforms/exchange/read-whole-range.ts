import { SourceError } from '../../sources/chain-source.ts';

/** A request for a range, to a platform that cuts off long answers without pages, or with pages that shift. */
type RangeQuestion<Row> = {
  fromMs: number;
  toMs: number;
  limit: number;
  maxSpanMs: number;
  /**
   * How much wider than the range to ask. Whether range ends are included is undocumented and times may be rounded:
   * rows at the ends must not fall between two ranges.
   */
  slackMs: number;
  ask: (fromMs: number, toMs: number) => Promise<RangeAnswer<Row>>;
};

/** `listed`: all rows of the answer. `rows`: the matching ones. */
export type RangeAnswer<Row> = { listed: number; rows: readonly Row[] };

type Span = { fromMs: number; toMs: number };

/** Most requests per range: more would use up the account's quota, and every later read would fail too. */
export const MAX_QUESTIONS = 20;

/** Splits a range into permitted spans, the oldest last, because `readWholeRange` takes them from the end. */
function spansOf({ fromMs, toMs, maxSpanMs, slackMs }: RangeQuestion<unknown>): Span[] {
  const spans: Span[] = [];
  const step = maxSpanMs - 2 * slackMs;
  for (let start = fromMs; start <= toMs && spans.length <= MAX_QUESTIONS; start += step)
    spans.push({ fromMs: start, toMs: Math.min(toMs, start + step - 1) });
  return spans.toReversed();
}

function tooWide(question: RangeQuestion<unknown>, answeredMs: number): SourceError {
  const suggestedRange = Math.max(1, answeredMs || Math.floor((question.toMs - question.fromMs + 1) / 2));
  return new SourceError('range', `The range takes more than ${MAX_QUESTIONS} questions.`, { suggestedRange });
}

/** Reads every row of a range, halving truncated spans. May repeat rows and exceed by `slackMs`. */
export async function readWholeRange<Row>(question: RangeQuestion<Row>): Promise<Row[]> {
  const { limit, slackMs, ask } = question;
  const rows: Row[] = [];
  const spans = spansOf(question);
  for (let asked = 0; ; asked += 1) {
    const span = spans.pop();
    if (span === undefined) return rows;
    if (asked === MAX_QUESTIONS) throw tooWide(question, span.fromMs - question.fromMs);
    const answer = await ask(Math.max(0, span.fromMs - slackMs), span.toMs + slackMs);
    if (answer.listed < limit) {
      rows.push(...answer.rows);
      continue;
    }
    if (span.fromMs >= span.toMs)
      throw new SourceError('inconsistent', `A full answer of ${answer.listed} rows for one millisecond.`);
    const middleMs = Math.floor((span.fromMs + span.toMs) / 2);
    spans.push({ fromMs: middleMs + 1, toMs: span.toMs }, { fromMs: span.fromMs, toMs: middleMs });
  }
}
