import type { Clock } from '../lib/clock.ts';
import { FetchError } from '../lib/fetch-json.ts';
import { PriceSourceError } from './price-source.ts';

const DEFAULT_PAUSE_SECONDS = 60;
/** Rate limits. Binance answers 418 to callers who ignore them, before it bans them for days. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([418, 429]);

type Source<Asked extends unknown[], Report> = {
  name: string;
  fetchReports: (...asked: Asked) => Promise<Report[]>;
};

/** Wraps a source of prices or rates so that it is paused after a rate limit for as long as it requests. */
export function pauseSource<Asked extends unknown[], Report, Facts>(
  source: Source<Asked, Report> & Facts,
  clock: Clock,
): Source<Asked, Report> & Facts {
  let pausedUntilMs = 0;
  return {
    ...source,
    fetchReports: async (...asked) => {
      if (clock.nowMs() < pausedUntilMs) throw new PriceSourceError(source.name, 'had too many requests and rests.');
      try {
        return await source.fetchReports(...asked);
      } catch (cause) {
        if (cause instanceof FetchError && REFUSALS.has(cause.status)) {
          pausedUntilMs = clock.nowMs() + (cause.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS) * 1000;
        }
        throw cause;
      }
    },
  };
}
