import type { Ratio } from '../ratio.ts';
import { middleOf } from '../ratio.ts';
import { checkAnswer, priceText } from './price-answer.ts';

const MAX_SPREAD_PERCENT = 2n;

/** Midpoint of the best offers, for sources whose last trade has no time; none with a wide gap. */
export function findMiddlePrice(source: string, offers: { a: string; b: string }): Ratio | undefined {
  if (isNothing(offers.a) || isNothing(offers.b)) return undefined;
  const [ask, bid] = [offers.a, offers.b].map((text) => checkAnswer(source, priceText, text));
  if (!ask || !bid) return undefined;
  const scaledAsk = ask.numerator * bid.denominator;
  const scaledBid = bid.numerator * ask.denominator;
  return scaledAsk * 100n > scaledBid * (100n + MAX_SPREAD_PERCENT) ? undefined : middleOf(ask, bid);
}

function isNothing(text: string): boolean {
  return /^0+(\.0+)?$/.test(text);
}
