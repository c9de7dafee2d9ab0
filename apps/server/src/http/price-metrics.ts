import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { OLDEST_SECONDS, readPriceHealth } from '../prices/price-health-sql.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_price_age_seconds: gauge(
    `Time since the price sources last agreed on a price of a token; ${OLDEST_SECONDS} stands for longer, or never.`,
    'token',
  ),
  counterfoil_price_source_age_seconds: gauge('Age of the newest report of a price source.', 'source'),
};

/** Metrics of prices: without a fresh price of its token, no amount is quoted. */
export function observePrices(registry: Registry, { queries }: Database, clock: Clock): void {
  observe(registry, METRICS, async () => {
    const health = await readPriceHealth(queries, new Date(clock.nowMs()));
    return {
      counterfoil_price_age_seconds: health.tokens.map(({ token, seconds }) => [{ token }, seconds]),
      counterfoil_price_source_age_seconds: health.sources.map(({ source, seconds }) => [{ source }, seconds]),
    };
  });
}
