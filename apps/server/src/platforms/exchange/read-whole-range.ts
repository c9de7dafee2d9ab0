import { SourceError } from '../../sources/chain-source.ts';

/** A question about a range of time, to a platform that cuts off long answers and has no pages, or pages that shift. */
type RangeQuestion<Row> = {
  fromMs: number;
  toMs: number;
  /** How many rows the longest answer has: an answer with this many may lack rows. */
  limit: number;
  /** The longest range that the platform answers for. */
  maxSpanMs: number;
  /**
   * How much wider than a range the platform is asked. Platforms do not document whether the ends of a range belong to
   * it, and times may be shown rounded: rows at the ends must not fall between two ranges.
   */
  slackMs: number;
  ask: (fromMs: number, toMs: number) => Promise<RangeAnswer<Row>>;
};

/** `listed`: how many rows of any kind the answer had. `rows`: the rows that are wanted. */
export type RangeAnswer<Row> = { listed: number; rows: readonly Row[] };

type Span = { fromMs: number; toMs: number };

/**
 * The most requests in one read of a range. More would use up the quota of an exchange account, and every later read of
 * that exchange account would fail too.
 */
export const MAX_QUESTIONS = 20;

/**
 * Splits a range into spans that the platform answers for. The oldest span is the last element, because
 * `readWholeRange` takes spans from the end of the array.
 */
function spansOf({ fromMs, toMs, maxSpanMs, slackMs }: RangeQuestion<unknown>): Span[] {
  const spans: Span[] = [];
  const step = maxSpanMs - 2 * slackMs;
  for (let start = fromMs; start <= toMs && spans.length <= MAX_QUESTIONS; start += step)
    spans.push({ fromMs: start, toMs: Math.min(toMs, start + step - 1) });
  return spans.toReversed();
}

/**
 * The refusal of a range that takes too many requests. The refusal suggests a range as long as the part that was
 * answered so far, because a read of that length would succeed; half of the range if no part was answered.
 */
function tooWide(question: RangeQuestion<unknown>, answeredMs: number): SourceError {
  const suggestedRange = Math.max(1, answeredMs || Math.floor((question.toMs - question.fromMs + 1) / 2));
  return new SourceError('range', `The range takes more than ${MAX_QUESTIONS} questions.`, { suggestedRange });
}

/**
 * Reads every row of the range, and halves a span whose answer may have been cut off. A row may be returned twice, and
 * rows that lie outside of the range by up to `slackMs` are returned too.
 */
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
