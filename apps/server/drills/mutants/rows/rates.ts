import type { Mutant } from '../mutant.ts';

/** Planted bugs in exchange rates and in the price of an invoice. */
export const RATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'rate-rounded-down',
    edits: [
      {
        file: 'src/rates/rate.ts',
        find: 'return divideHalfUp(minorUnits * rateUnits, 10n ** BigInt(decimals)) * USD_UNITS_PER_CENT;',
        replace: 'return ((minorUnits * rateUnits) / 10n ** BigInt(decimals)) * USD_UNITS_PER_CENT;',
      },
    ],
    suite: 'src/rates/rate.test.ts',
    title: '10,000 random amounts in all currencies agree with an independent exact computation, to half a cent',
  },
  {
    name: 'rate-inverted',
    edits: [
      {
        file: 'src/rates/sources/kraken-rates.ts',
        find: 'price: perUsd ? invertRatio(middle) : middle',
        replace: 'price: perUsd ? middle : invertRatio(middle)',
      },
    ],
    suite: 'src/rates/refresh-rates.test.ts',
    title: 'nine currencies are on without a key, and four are off',
  },
  {
    name: 'rate-age-in-calendar-time',
    edits: [
      {
        file: 'src/rates/market-hours.ts',
        find: 'return ageMs > MAX_SPAN_MS || marketMsBetween(at.getTime(), now.getTime()) > limitMs;',
        replace: 'return ageMs > MAX_SPAN_MS;',
      },
    ],
    suite: 'src/rates/rate.test.ts',
    title: 'a rate at the close stays fresh over the weekend, and a source that stopped before the close does not',
  },
  {
    name: 'rate-bound-ignored',
    edits: [
      {
        file: 'src/rates/rate.ts',
        find: "  if (strays(doubled, 2n * bound.priceUnits, bound.permille)) return refuse('out-of-bounds');\n",
        replace: '',
      },
    ],
    suite: 'src/rates/rate.test.ts',
    title: 'a pegged currency is bounded by its peg, and may stand still',
  },
  {
    name: 'yen-with-cents',
    edits: [{ file: '../../packages/core/src/currency.ts', find: '  JPY: 0,', replace: '  JPY: 2,' }],
    suite: 'src/rates/rate.test.ts',
    title: '10,000 random amounts in all currencies agree with an independent exact computation, to half a cent',
  },
  {
    name: 'replay-at-a-new-rate',
    edits: [
      {
        file: 'src/invoices/create-invoice.ts',
        find: '    if (!present) throw cause;\n',
        replace: '    if (present || !present) throw cause;\n',
      },
    ],
    suite: 'test/merchant-api/currencies.test.ts',
    title: 'keeps its first rate, also when the rate has changed or is gone',
  },
];
