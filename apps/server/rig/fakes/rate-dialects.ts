import { divideHalfUp } from '@counterfoil/core/amount.ts';
import { RATED_CURRENCIES } from '../../src/rates/rate.ts';
import type { Dialect } from './price-dialect.ts';
import { DECIMALS, shown } from './price-dialect.ts';

/** Dialects of sources of exchange rates, as their documentation shows them. */

const ONE = 10n ** BigInt(DECIMALS);
const DAY_MS = 86_400_000;

export const invert = (units: bigint) => divideHalfUp(ONE * ONE, units);

/** Best offers against USDT: of the currency, or of USDT in it. */
export const speakBinanceBooks: Dialect = (request, priceOf) => {
  const symbols = JSON.parse(request.searchParams.get('symbols') ?? '[]') as string[];
  const usdt = priceOf('USDT');
  const books = symbols.map((symbol) => {
    const units = priceOf(symbol.replace('USDT', ''));
    if (units === undefined || usdt === undefined) return undefined;
    const perUsdt = divideHalfUp(units * ONE, usdt);
    const price = symbol.startsWith('USDT') ? invert(perUsdt) : perUsdt;
    return { symbol, bidPrice: shown(price - 1n), bidQty: '1', askPrice: shown(price + 1n), askQty: '1' };
  });
  if (books.includes(undefined)) return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
  return { body: books };
};

/** Units of each listed currency for one USD. */
function perUsd(priceOf: Parameters<Dialect>[1]): [string, string][] {
  return RATED_CURRENCIES.flatMap((currency): [string, string][] => {
    const units = priceOf(currency);
    return units === undefined ? [] : [[currency, shown(invert(units))]];
  });
}

export const speakCoinbaseRates: Dialect = (_request, priceOf) => ({
  body: { data: { currency: 'USD', rates: { BTC: '0.00001', ...Object.fromEntries(perUsd(priceOf)), USD: '1.0' } } },
});

export const speakIndependentReserve: Dialect = (_request, priceOf) => {
  const pairs = [
    ['Aud', 'Usd', priceOf('AUD')],
    ['Usd', 'Sgd', priceOf('SGD')],
  ] as const;
  return {
    body: pairs.flatMap(([CurrencyCodeA, CurrencyCodeB, units]) => {
      if (units === undefined) return [];
      const Rate = Number(shown(CurrencyCodeA === 'Usd' ? invert(units) : units));
      return [{ CurrencyCodeA, CurrencyCodeB, Rate }];
    }),
  };
};

export const speakOpenExchangeRates: Dialect = (request, priceOf, at) => {
  if (request.searchParams.get('app_id') !== 'test') return { status: 401, body: { error: true, status: 401 } };
  const rates = perUsd(priceOf).map(([currency, rate]) => [currency, Number(rate)]);
  return { body: { timestamp: Math.floor(at.getTime() / 1_000), base: 'USD', rates: Object.fromEntries(rates) } };
};

const weekdayOf = (ms: number) => new Date(ms).getUTCDay();

/** The reference rates of the last working day, in XML. */
export const speakEcb: Dialect = (_request, priceOf, at) => {
  let dayMs = at.getTime() - DAY_MS;
  while ([0, 6].includes(weekdayOf(dayMs))) dayMs -= DAY_MS;
  const usdPerEuro = priceOf('EUR') ?? ONE;
  const cubes = RATED_CURRENCIES.filter((currency) => !['EUR', 'AED', 'KWD'].includes(currency)).flatMap((currency) => {
    const units = priceOf(currency);
    return units === undefined ? [] : [[currency, shown(divideHalfUp(usdPerEuro * ONE, units))]];
  });
  const lines = [['USD', shown(usdPerEuro)], ...cubes].map(
    ([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`,
  );
  return {
    body: `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
\t<Cube>
\t\t<Cube time='${new Date(dayMs).toISOString().slice(0, 10)}'>
${lines.join('\n')}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>`,
  };
};
