import { formatMoney } from '@counterfoil/core/currency.ts';
import { CENT_DECIMALS } from '@counterfoil/core/usd.ts';
import { useLingui } from '@lingui/react';
import { presentDirection } from './language.ts';

/** Sums in the reader's language, from decimal texts, never as numbers, which would lose digits. */

const MAX_DECIMALS = 20;
/** At least as many decimals as prices; further digits are all shown. */
const TOKEN_DECIMALS = 2;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

type Money = {
  /** `$4,180.00`; `−$4.00` when negative, and with `signed` also `+$4.00`. */
  usd: (decimal: string, options?: { signed?: boolean }) => string;
  /** `€50.00`, in any currency. */
  price: (decimal: string, currency: string) => string;
  /** All digits, in groups of three. */
  decimal: (decimal: string, least?: number) => string;
  /** An amount of a token: `49.983127 USDT`. */
  token: (decimal: string, symbol: string) => string;
};

/** The same digits in every language, because people compare them with their wallet. */
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

/** Isolates a sum in a right-to-left sentence. */
const isolate = (text: string) => (presentDirection() === 'rtl' ? `\u2066${text}\u2069` : text);

export function useMoney(): Money {
  const { i18n } = useLingui();
  const decimal = (text: string, least = 0) => write(i18n.locale, text, least);
  return {
    usd: (text, { signed = false } = {}) => {
      const isLess = text.startsWith('-');
      const sign = isLess ? '−' : signed ? '+' : '';
      return isolate(`${sign}$${decimal(isLess ? text.slice(1) : text, CENT_DECIMALS)}`);
    },
    price: (text, currency) => isolate(formatMoney(i18n.locale, currency, text)),
    decimal,
    token: (text, symbol) => isolate(`${decimal(text, TOKEN_DECIMALS)} ${symbol}`),
  };
}
