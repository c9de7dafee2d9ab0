import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import type { Currency } from '@counterfoil/core/currency.ts';
import { CURRENCY_DECIMALS, isCurrency } from '@counterfoil/core/currency.ts';
import { formatUsd, USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { Refusal } from '../lib/refusal.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import { convertToUsd } from './rate.ts';
import type { Rate } from './rate.ts';
import type { ReadRate } from './read-rate.ts';

/** The amount of an invoice in USD, fixed at creation, and how it was found. */

const MAX_USD_UNITS = 1_000_000n * 10n ** BigInt(USD_DECIMALS);

/** `units` are 10^-8 USD without a currency and in USD, and the smallest units of other currencies. */
export type AskedAmount = { currency: Currency | null; units: bigint };

/** What a source reported, as quotes keep it. */
type SourceEvidence = { source: string; usd: string; at: Date | null };
type RateEvidence = { decided_at: Date; sources: SourceEvidence[]; bound: SourceEvidence };

export type Pricing = {
  currency: Currency;
  currencyAmount: string;
  /** USD for one unit of the currency. */
  exchangeRate: string;
  /** Null for USD. */
  evidence: RateEvidence | null;
};

export type ShownPricing = Omit<Pricing, 'evidence'>;

/** Columns of an invoice; all are null when no currency was supplied. */
export type PricingColumns = { currency: string | null; currency_amount: string | null; exchange_rate: string | null };

/** Amount and rate as they were at creation, with the decimals of the currency. */
export function readPricing(row: PricingColumns): ShownPricing | null {
  const { currency, currency_amount: amount, exchange_rate: rate } = row;
  if (currency === null || amount === null || rate === null) return null;
  if (!isCurrency(currency)) throw new Error(`${currency} is not a known currency.`);
  const decimals = CURRENCY_DECIMALS[currency];
  const places = currency === 'USD' ? USD_DECIMALS : decimals;
  return {
    currency,
    currencyAmount: formatDecimal(requireDecimal(amount, places), places, decimals),
    exchangeRate: formatDecimal(requireDecimal(rate, PRICE_DECIMALS), PRICE_DECIMALS, 2),
  };
}

/** As answers show it: nothing when no currency was supplied. */
export const viewPricing = (pricing: ShownPricing | null) =>
  pricing && {
    currency: pricing.currency,
    currency_amount: pricing.currencyAmount,
    exchange_rate: pricing.exchangeRate,
  };

export type PricedAmount = { amountUnits: bigint; pricing: Pricing | null };

const rateText = (units: bigint) => formatDecimal(units, PRICE_DECIMALS, 2);

const show = ({ source, priceUnits, at }: { source: string; priceUnits: bigint; at: Date | null }) => ({
  source,
  usd: rateText(priceUnits),
  at,
});

function evidenceOf({ sources, bound, decidedAt }: Rate): RateEvidence {
  return { decided_at: decidedAt, sources: sources.map(show), bound: show(bound) };
}

/** Refuses without a rate, below one cent and above 1,000,000 USD. */
export async function priceAmount(readRate: ReadRate, { currency, units }: AskedAmount): Promise<PricedAmount> {
  if (currency === null) return { amountUnits: units, pricing: null };
  if (currency === 'USD') {
    const pricing = { currency, currencyAmount: formatUsd(units), exchangeRate: '1.00', evidence: null };
    return { amountUnits: units, pricing };
  }
  const rate = await readRate(currency);
  if (!rate.available) throw new Refusal('EXCHANGE_RATE_UNAVAILABLE', { currency, reason: rate.reason });
  const amountUnits = convertToUsd(units, currency, rate.rateUnits);
  const exchangeRate = rateText(rate.rateUnits);
  if (amountUnits === 0n || amountUnits > MAX_USD_UNITS)
    throw new Refusal('AMOUNT_OUT_OF_RANGE', { currency, exchangeRate });
  const decimals = CURRENCY_DECIMALS[currency];
  const currencyAmount = formatDecimal(units, decimals, decimals);
  return { amountUnits, pricing: { currency, currencyAmount, exchangeRate, evidence: evidenceOf(rate) } };
}
