import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

/** A metric whose samples are read when the metric is scraped. */
type Metric = { type: 'gauge' | 'counter'; help: string; labels: readonly string[] };

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** What a scrape shows of a metric: a number, or a sample for each combination of labels. */
type Samples = number | readonly Sample[];

export type SamplesOf<Metrics> = Readonly<Record<keyof Metrics, Samples>>;

export const gauge = (help: string, ...labels: string[]): Metric => ({ type: 'gauge', help, labels });

/** A counter whose total is kept outside the metrics library; a scrape shows that total. */
export const counter = (help: string, ...labels: string[]): Metric => ({ type: 'counter', help, labels });

/**
 * Replaces the samples of a metric. A counter cannot be set, so it is reset and raised; a gauge is treated in the same
 * way.
 */
function show(metric: Gauge | Counter, samples: Samples): void {
  metric.reset();
  if (typeof samples === 'number') metric.inc({}, samples);
  else for (const [labels, value] of samples) metric.inc(labels, value);
}

/**
 * Registers metrics, by their names, whose samples come from one shared read. A scrape asks every metric at the same
 * time, so each metric waits for that read: otherwise the metric would show the samples of the previous scrape. Samples
 * that a read does not find are removed.
 */
export function observe<Metrics extends Readonly<Record<string, Metric>>>(
  registry: Registry,
  metrics: Metrics,
  read: () => SamplesOf<Metrics> | Promise<SamplesOf<Metrics>>,
): void {
  let reading: Promise<void> | undefined;
  const collect = () => {
    reading ??= readAndShow().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const shown = Object.entries(metrics).map(([name, { type, help, labels }]) => {
    const options = { name, help, labelNames: [...labels], registers: [registry], collect };
    return [name, type === 'gauge' ? new Gauge(options) : new Counter(options)] as const;
  });
  const readAndShow = async () => {
    const found = await read();
    for (const [name, metric] of shown) show(metric, found[name] ?? []);
  };
}
