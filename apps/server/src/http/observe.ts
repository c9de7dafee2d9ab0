import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import { endWith } from '../lib/end-with.ts';

/** A metric whose samples are read when the metric is scraped. */
type Metric = { type: 'gauge' | 'counter'; help: string; labels: readonly string[] };

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** What a scrape shows of a metric: a number, or a sample for each combination of labels. */
type Samples = number | readonly Sample[];

export type SamplesOf<Metrics> = Readonly<Record<keyof Metrics, Samples>>;

export const gauge = (help: string, ...labels: string[]): Metric => ({ type: 'gauge', help, labels });

/** A counter whose total is kept outside the metrics library; a scrape shows that total. */
export const counter = (help: string, ...labels: string[]): Metric => ({ type: 'counter', help, labels });

const READ_LIMIT_MS = 3_000;
const FAILED_READS = 'counterfoil_metric_reads_failed_total';

/** The count of reads that failed, one for all metrics of a registry. */
function failedReadsOf(registry: Registry): Counter {
  const found = registry.getSingleMetric(FAILED_READS);
  if (found instanceof Counter) return found;
  const help = 'Reads of metrics that failed or took too long; a scrape leaves their samples out.';
  return new Counter({ name: FAILED_READS, help, registers: [registry] });
}

/** Removes all samples of a metric. A reset leaves a zero in a metric without labels, which would be a false value. */
function clear(metric: Gauge | Counter): void {
  metric.reset();
  metric.remove({});
}

/**
 * Replaces the samples of a metric. A counter cannot be set, so it is reset and raised; a gauge is treated in the same
 * way.
 */
function show(metric: Gauge | Counter, samples: Samples): void {
  clear(metric);
  if (typeof samples === 'number') metric.inc({}, samples);
  else for (const [labels, value] of samples) metric.inc(labels, value);
}

/**
 * Registers metrics, by their names, whose samples come from one shared read. A scrape asks every metric at the same
 * time, so each metric waits for that read: otherwise the metric would show the samples of the previous scrape. Samples
 * that a read does not find are removed. A read that fails or takes longer than the limit removes all of them, and the
 * scrape shows the other metrics; a read that takes too long is not repeated before it ends.
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
