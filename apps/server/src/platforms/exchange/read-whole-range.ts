import { SourceError } from '../../sources/chain-source.ts';

/** A question about a range of time, to a platform that cuts long answers off and has no pages, or pages that shift. */
type RangeQuestion<Row> = {
  fromMs: number;
  toMs: number;
  /** Rows of the longest answer: one as long as this may lack rows. */
  limit: number;
  /** The longest range that the platform answers for. */
  maxSpanMs: number;
  /**
   * How much wider than a range the platform is asked. Nobody documents whether the ends of a range belong to it, and times
   * may be shown rounded: rows at the ends must not fall between two ranges.
   */
  slackMs: number;
  ask: (fromMs: number, toMs: number) => Promise<RangeAnswer<Row>>;
};

/** `listed`: how many rows the answer had, of any kind. `rows`: those that are wanted. */
export type RangeAnswer<Row> = { listed: number; rows: readonly Row[] };

type Span = { fromMs: number; toMs: number };

/** Most requests in one read of a range. More would use up the quota of an exchange account, and every later read of it would fail too. */
export const MAX_QUESTIONS = 20;

/** The spans of a range, the oldest last: they are taken from the end. */
function spansOf({ fromMs, toMs, maxSpanMs, slackMs }: RangeQuestion<unknown>): Span[] {
  const spans: Span[] = [];
  const step = maxSpanMs - 2 * slackMs;
  for (let start = fromMs; start <= toMs && spans.length <= MAX_QUESTIONS; start += step)
    spans.push({ fromMs: start, toMs: Math.min(toMs, start + step - 1) });
  return spans.toReversed();
}

/** The range is too wide. What was answered so far would be answered again. */
function tooWide(question: RangeQuestion<unknown>, answeredMs: number): SourceError {
  const suggestedRange = Math.max(1, answeredMs || Math.floor((question.toMs - question.fromMs + 1) / 2));
  return new SourceError('range', `The range takes more than ${MAX_QUESTIONS} questions.`, { suggestedRange });
}

/**
 * Every row of the range, by halving it wherever an answer may have been cut off. Rows may come twice, and some lie outside
 * of the range by the slack.
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
