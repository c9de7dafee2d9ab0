import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import { endWith } from '../lib/end-with.ts';

type Metric = { type: 'gauge' | 'counter'; help: string; labels: readonly string[] };

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Scraped samples: a number, or one per combination of labels. */
type Samples = number | readonly Sample[];

export type SamplesOf<Metrics> = Readonly<Record<keyof Metrics, Samples>>;

export const gauge = (help: string, ...labels: string[]): Metric => ({ type: 'gauge', help, labels });

/** A counter whose total is kept elsewhere. */
export const counter = (help: string, ...labels: string[]): Metric => ({ type: 'counter', help, labels });

const READ_LIMIT_MS = 3_000;
const FAILED_READS = 'counterfoil_metric_reads_failed_total';

/** The registry's counter of failed reads. */
function failedReadsOf(registry: Registry): Counter {
  const found = registry.getSingleMetric(FAILED_READS);
  if (found instanceof Counter) return found;
  const help = 'Reads of metrics that failed or took too long; a scrape leaves their samples out.';
  return new Counter({ name: FAILED_READS, help, registers: [registry] });
}

/** Removes all samples. A reset would leave a false zero in a metric without labels. */
function clear(metric: Gauge | Counter): void {
  metric.reset();
  metric.remove({});
}

/** Counters cannot be set, so they are reset and raised, and gauges likewise. */
function show(metric: Gauge | Counter, samples: Samples): void {
  clear(metric);
  if (typeof samples === 'number') metric.inc({}, samples);
  else for (const [labels, value] of samples) metric.inc(labels, value);
}

/**
 * Registers metrics that share one read. A scrape collects all metrics in parallel, so each waits for that read;
 * otherwise it would show the previous samples. Missing samples are removed, and all of them when the read fails or
 * exceeds its limit; a slow read is not repeated before it ends.
 */
export function observe<Metrics extends Readonly<Record<string, Metric>>>(
  registry: Registry,
  metrics: Metrics,
  read: () => SamplesOf<Metrics> | Promise<SamplesOf<Metrics>>,
  limitMs = READ_LIMIT_MS,
): void {
  const failedReads = failedReadsOf(registry);
  let reading: Promise<SamplesOf<Metrics>> | undefined;
  let showing: Promise<void> | undefined;
  const readOnce = () => {
    reading ??= Promise.resolve()
      .then(read)
      .finally(() => {
        reading = undefined;
      });
    return endWith(AbortSignal.timeout(limitMs), reading, () => new Error('The read of a metric took too long.'));
  };
  const collect = () => {
    showing ??= readAndShow().finally(() => {
      showing = undefined;
    });
    return showing;
  };
  const shown = Object.entries(metrics).map(([name, { type, help, labels }]) => {
    const options = { name, help, labelNames: [...labels], registers: [registry], collect };
    return [name, type === 'gauge' ? new Gauge(options) : new Counter(options)] as const;
  });
  const readAndShow = async () => {
    try {
      const found = await readOnce();
      for (const [name, metric] of shown) show(metric, found[name] ?? []);
    } catch {
      failedReads.inc();
      for (const [, metric] of shown) clear(metric);
    }
  };
}
