import { formatDecimal } from '@counterfoil/core/amount.ts';
import { z } from 'zod';
import { reasonOf } from '../doctor/finding.ts';
import type { DoctorContext } from '../doctor/run-doctor.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import type { CheckedCurrency, CheckedSource } from '../rates/rate-check.ts';
import { askRateSources, compareRates } from '../rates/rate-check.ts';
import { command } from './command.ts';

const noInput = z.object({});
const shown = (units: bigint) => formatDecimal(units, PRICE_DECIMALS, 2);

function showSource({ source, reports, fault }: CheckedSource) {
  return { source, rates: reports.length, ...(fault && { fault }) };
}

function showCurrency({ currency, on, reference, rates }: CheckedCurrency) {
  return {
    currency,
    state: on ? 'on' : 'off: fewer than two sources',
    ...(reference !== undefined && { reference_usd: shown(reference) }),
    sources: rates.map(({ source, units, at, quote }) => ({ source, rate: `${shown(units)} ${quote}`, at })),
  };
}

/** Asks the real services, as configured; rates against USDT are shown as if it were worth one USD. */
export const rateCheckCommand = command<DoctorContext, typeof noInput>('rate check', {
  summary: 'Ask every source of exchange rates once, and compare them with the reference rates.',
  options: {},
  input: noInput,
  run: async ({ rateSources }) => {
    const checked = await askRateSources(rateSources, reasonOf);
    return [...checked.map(showSource), ...compareRates(checked).map(showCurrency)];
  },
});
