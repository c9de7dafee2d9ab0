/** Currencies in which an invoice can be priced, with the decimals of ISO 4217. */
export const CURRENCY_DECIMALS = {
  USD: 2,
  EUR: 2,
  GBP: 2,
  CHF: 2,
  JPY: 0,
  CAD: 2,
  AUD: 2,
  SGD: 2,
  BRL: 2,
  INR: 2,
  TRY: 2,
  CNY: 2,
  AED: 2,
  KWD: 3,
} as const;

export type Currency = keyof typeof CURRENCY_DECIMALS;

export const CURRENCIES = Object.keys(CURRENCY_DECIMALS) as [Currency, ...Currency[]];

export const isCurrency = (text: string): text is Currency => Object.hasOwn(CURRENCY_DECIMALS, text);

/** A decimal amount as people read it in a language, such as `€50.00`; with Latin digits, as all amounts are. */
export function formatMoney(language: string, currency: string, amount: string): string {
  const digits = isCurrency(currency) ? CURRENCY_DECIMALS[currency] : 2;
  const format = new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: Math.max(digits, 8),
  });
  // Exact: the format takes decimals as text.
  return format.format(amount as `${number}`);
}
