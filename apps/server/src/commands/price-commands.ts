import { formatDecimal } from '@counterfoil/core/amount.ts';
import { z } from 'zod';
import { JUMP_WINDOW_MS, PRICE_DECIMALS, PRICED_TOKENS } from '../prices/price.ts';
import { readPriceFacts } from '../prices/price-sql.ts';
import type { PriceStatus } from '../prices/price-status.ts';
import { judgePrices } from '../prices/price-status.ts';
import { command } from './command.ts';
import type { OperatorContext } from './operator-context.ts';

const usd = (priceUnits: bigint) => formatDecimal(priceUnits, PRICE_DECIMALS, 2);
const secondsSince = (at: Date, now: Date) => Math.round((now.getTime() - at.getTime()) / 1_000);

function showPrice({ token, decision, sources }: PriceStatus, now: Date) {
  return {
    token,
    ...(decision.available ? { usd: usd(decision.priceUnits) } : { unavailable: decision.reason }),
    sources: sources.map(({ source, report, unused }) => ({
      source,
      ...(report && { usd: usd(report.priceUnits), at: report.at, age_seconds: secondsSince(report.at, now) }),
      in_use: unused === undefined,
      ...(unused && { reason: unused }),
    })),
  };
}

const noInput = z.object({});

const priceStatus = command<OperatorContext, typeof noInput>('price status', {
  summary:
    'The price of every coin and token now, with the last report of each source, and why a source is not in use.',
  options: {},
  input: noInput,
  run: async ({ database, clock }) => {
    const now = new Date(clock.nowMs());
    const facts = await readPriceFacts(database.queries, PRICED_TOKENS, new Date(now.getTime() - JUMP_WINDOW_MS));
    return judgePrices(PRICED_TOKENS, facts, now).map((status) => showPrice(status, now));
  },
});

export const priceCommands = [priceStatus];
