import type { Clock } from '../lib/clock.ts';
import { FetchError } from '../lib/fetch-json.ts';
import type { PriceSource } from './price-source.ts';
import { PriceSourceError } from './price-source.ts';

const DEFAULT_PAUSE_SECONDS = 60;
/** Rate limits. Binance answers 418 to callers who ignore them, before it bans them for days. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([418, 429]);

/** Wraps a price source so that it is paused after a rate limit for as long as it requests. */
export function pauseSource(source: PriceSource, clock: Clock): PriceSource {
  let pausedUntilMs = 0;
  return {
    name: source.name,
    fetchReports: async (tokens, signal) => {
      if (clock.nowMs() < pausedUntilMs) throw new PriceSourceError(source.name, 'had too many requests and rests.');
      try {
        return await source.fetchReports(tokens, signal);
      } catch (cause) {
        if (cause instanceof FetchError && REFUSALS.has(cause.status)) {
          pausedUntilMs = clock.nowMs() + (cause.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS) * 1000;
        }
        throw cause;
      }
    },
  };
}
