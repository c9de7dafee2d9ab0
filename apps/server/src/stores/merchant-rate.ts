import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { Clock } from '../lib/clock.ts';
import type { Endpoint } from './admission.ts';
import { SUSTAINED_WINDOW_SECONDS } from './admission.ts';
import type { Admission } from './admission-sql.ts';

/**
 * A merchant's rate over all stores, counted in this process: a merchant has up to 200 stores, each with its own rate.
 * Live and test stores count separately.
 */

/** As a multiple of one store's limit. */
const MERCHANT_FACTOR = 10;
/** Most merchants counted per minute. */
const MAX_MERCHANTS = 50_000;
const WINDOW_MS = SUSTAINED_WINDOW_SECONDS * SECOND_MS;

/** Refuses a request within its store's rate if the merchant's stores have sent too many. */
type JudgeMerchant = (endpoint: Endpoint, admission: Admission) => Admission;

export function createMerchantRates(clock: Clock): JudgeMerchant {
  let startedAtMs = clock.nowMs();
  let counts = new Map<string, number>();
  const renew = () => {
    if (clock.nowMs() - startedAtMs < WINDOW_MS) return;
    startedAtMs = clock.nowMs();
    counts = new Map();
  };
  return (endpoint, admission) => {
    const { store, rate, sustained } = admission;
    if (!store || rate.exceeded) return admission;
    renew();
    const name = `${endpoint} ${store.live} ${store.merchantAccountId}`;
    const used = counts.get(name) ?? 0;
    const limit = sustained * MERCHANT_FACTOR;
    if (used >= limit) {
      const resetSeconds = Math.max(1, Math.ceil((startedAtMs + WINDOW_MS - clock.nowMs()) / SECOND_MS));
      return { ...admission, rate: { window: { limit, remaining: 0, resetSeconds }, exceeded: 'sustained' } };
    }
    if (used > 0 || counts.size < MAX_MERCHANTS) counts.set(name, used + 1);
    return admission;
  };
}
