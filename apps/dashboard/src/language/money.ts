import { useLingui } from '@lingui/react';
import { presentDirection } from './language.ts';

/**
 * Sums of money in the reader's language. They come as decimals in texts and are never turned into numbers, which would
 * lose digits.
 */

const MAX_DECIMALS = 20;
const USD_DECIMALS = 2;
/** Fewest decimals of an amount of a token, as many as prices have; further digits are all shown. */
const TOKEN_DECIMALS = 2;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

type Money = {
  /** `$4,180.00`; `−$4.00` when it is less than nothing, and with `signed` also `+$4.00`. */
  usd: (decimal: string, options?: { signed?: boolean }) => string;
  /** A decimal with all its digits, in groups of three. */
  decimal: (decimal: string, least?: number) => string;
  /** An amount of a token: `49.983127 USDT`. */
  token: (decimal: string, symbol: string) => string;
};

/** Digits are the same in every language, because people compare them with those in their wallet. */
function write(locale: string, decimal: string, least: number): string {
  if (!DECIMAL.test(decimal)) return decimal;
  return new Intl.NumberFormat(locale, {
    numberingSystem: 'latn',
    useGrouping: 'always',
    minimumFractionDigits: least,
    maximumFractionDigits: MAX_DECIMALS,
  })
    .format(decimal as `${number}`)
    .replace(/^\P{N}*-/u, '−');
}

/** Holds a sum together in a sentence that is read from right to left. */
const isolate = (text: string) => (presentDirection() === 'rtl' ? `\u2066${text}\u2069` : text);

export function useMoney(): Money {
  const { i18n } = useLingui();
  const decimal = (text: string, least = 0) => write(i18n.locale, text, least);
  return {
    usd: (text, { signed = false } = {}) => {
      const isLess = text.startsWith('-');
      const sign = isLess ? '−' : signed ? '+' : '';
      return isolate(`${sign}$${decimal(isLess ? text.slice(1) : text, USD_DECIMALS)}`);
    },
    decimal,
    token: (text, symbol) => isolate(`${decimal(text, TOKEN_DECIMALS)} ${symbol}`),
  };
}
