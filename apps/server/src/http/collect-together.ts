import type { Gauge } from 'prom-client';

/**
 * Fills gauges by one look, which returns what shows its findings. A scrape asks every metric at the same time, so each of
 * them waits for that look: one that did not would show the scrape before. What a look does not find is shown no more.
 */
export function collectTogether(gauges: readonly Gauge[], look: () => Promise<() => void>): void {
  let looking: Promise<void> | undefined;
  const lookAndShow = async () => {
    const show = await look();
    for (const gauge of gauges) gauge.reset();
    show();
  };
  const collect = () => {
    looking ??= lookAndShow().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  for (const gauge of gauges) Reflect.set(gauge, 'collect', collect);
}
