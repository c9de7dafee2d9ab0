import type { Answer } from '../../api/call.ts';
import type { Delivery } from '../../api/webhook-queries.ts';

/** What the newest deliveries show about their receivers. */

type Failing = NonNullable<Answer<'GET /accounts/{account}/home'>['attention']['failing_receivers']>[number];

export type Receiver = {
  store: string;
  url: string;
  /** Number of recent deliveries to it. */
  count: number;
  /** Share delivered at the first attempt, in percent; null without attempts. */
  firstPercent: number | null;
  medianMs: number | null;
  /** Since when it fails (Unix seconds); null while it answers, undefined without attempts. */
  failingSince: number | null | undefined;
};

const MAX_RECEIVERS = 4;
const PERCENT = 100;

const hostOf = (url: string) => {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
};

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function describe(deliveries: readonly Delivery[], failing: readonly Failing[]): Receiver | undefined {
  const [first] = deliveries;
  if (!first) return undefined;
  const { store, url } = first;
  const tried = deliveries.filter(({ attempts }) => attempts > 0);
  const atOnce = tried.filter(({ attempts, state }) => attempts === 1 && state === 'delivered');
  const found = failing.find((one) => one.merchant_id === store && one.host === hostOf(url));
  return {
    store,
    url,
    count: deliveries.length,
    firstPercent: tried.length === 0 ? null : Math.floor((atOnce.length * PERCENT) / tried.length),
    medianMs: medianOf(deliveries.flatMap(({ last_attempt: last }) => (last ? [last.duration_ms] : []))),
    failingSince: found ? found.since : tried.length === 0 ? undefined : null,
  };
}

/** Receivers: failing ones first, then by number of deliveries. */
export function receiversOf(deliveries: readonly Delivery[], failing: readonly Failing[]): Receiver[] {
  const groups = Map.groupBy(deliveries, ({ store, url }) => `${store} ${url}`);
  const receivers = [...groups.values()].flatMap((group) => describe(group, failing) ?? []);
  const rank = ({ failingSince }: Receiver) => (typeof failingSince === 'number' ? 0 : 1);
  return receivers
    .toSorted((left, right) => rank(left) - rank(right) || right.count - left.count)
    .slice(0, MAX_RECEIVERS);
}
