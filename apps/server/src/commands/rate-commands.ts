import { formatDecimal } from '@counterfoil/core/amount.ts';
import { z } from 'zod';
import { PRICE_DECIMALS } from '../prices/price.ts';
import { readPriceFacts } from '../prices/price-sql.ts';
import { RATE_JUMP_WINDOW_MS, RATED_CURRENCIES } from '../rates/rate.ts';
import type { RateStatus } from '../rates/rate-status.ts';
import { judgeRates } from '../rates/rate-status.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const usd = (units: bigint) => formatDecimal(units, PRICE_DECIMALS, 2);
const secondsSince = (at: Date, now: Date) => Math.round((now.getTime() - at.getTime()) / 1_000);

function showRate({ currency, decision, reference, sources }: RateStatus, now: Date) {
  return {
    currency,
    ...(decision.available ? { usd: usd(decision.rateUnits) } : { unavailable: decision.reason }),
    ...(reference && { reference_usd: usd(reference.priceUnits), reference_at: reference.at }),
    sources: sources.map(({ source, priceUnits, at, unused }) => ({
      source,
      usd: usd(priceUnits),
      at,
      age_seconds: secondsSince(at, now),
      in_use: unused === undefined,
      ...(unused && { reason: unused }),
    })),
  };
}

const noInput = z.object({});

const rateStatus = command<OperatorContext, typeof noInput>('rate status', {
  summary: 'The exchange rate of every currency now, with each source, and why a currency or a source is not in use.',
  options: {},
  input: noInput,
  run: async ({ database, clock }) => {
    const now = new Date(clock.nowMs());
    const since = new Date(now.getTime() - RATE_JUMP_WINDOW_MS);
    const facts = await readPriceFacts(database.queries, RATED_CURRENCIES, since);
    return judgeRates(facts, now).map((status) => showRate(status, now));
  },
});

export const rateCommands = [rateStatus];
