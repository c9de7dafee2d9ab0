import { z } from 'zod';
import { PriceSourceError } from '../price-source.ts';
import type { Ratio } from '../ratio.ts';
import { parseRatio } from '../ratio.ts';

/** Common rules for answers of all exchanges. */

export const REQUEST_TIMEOUT_MS = 4_000;
export const MAX_ANSWER_BYTES = 65_536;
/** Coinbase refuses callers without a name. */
export const REQUEST_HEADERS = { 'user-agent': 'counterfoil' };

const MAX_SHOWN_FAULTS = 3;

/** A price must be text: a JSON number would already have been rounded by the parser. */
export const priceText = z.string().transform((text, context): Ratio => {
  const ratio = parseRatio(text);
  if (ratio) return ratio;
  context.addIssue({ code: 'custom', message: 'not a positive decimal' });
  return z.NEVER;
});

/** Checks an answer's shape; throws a PriceSourceError. */
export function checkAnswer<T>(source: string, schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues
    .slice(0, MAX_SHOWN_FAULTS)
    .map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`);
  throw new PriceSourceError(source, `answered in an unknown shape (${faults.join('; ')}).`);
}
