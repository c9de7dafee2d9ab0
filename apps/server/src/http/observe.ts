import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';

/** A metric whose samples are read when it is scraped. */
type Metric = { type: 'gauge' | 'counter'; help: string; labels: readonly string[] };

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** What a scrape shows of a metric: a number, or a sample for each combination of its labels. */
type Samples = number | readonly Sample[];

export type SamplesOf<Metrics> = Readonly<Record<keyof Metrics, Samples>>;

export const gauge = (help: string, ...labels: string[]): Metric => ({ type: 'gauge', help, labels });

/** A counter that something else keeps: a scrape shows its total. */
export const counter = (help: string, ...labels: string[]): Metric => ({ type: 'counter', help, labels });

/** Replaces the samples of a metric. A counter cannot be set, only begun anew and raised; a gauge takes the same. */
function show(metric: Gauge | Counter, samples: Samples): void {
  metric.reset();
  if (typeof samples === 'number') metric.inc({}, samples);
  else for (const [labels, value] of samples) metric.inc(labels, value);
}

/**
 * Registers metrics, by their names, that one read gives the samples of. A scrape asks every metric at the same time,
 * so each waits for that read: otherwise it would show the scrape before. Samples that a read does not find are removed.
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
