import type { Gauge } from 'prom-client';

/**
 * Fills several gauges by one read, which returns a function that shows its findings. A scrape asks every metric at the
 * same time, so each waits for that read: otherwise it would show the scrape before. Series that a read does not find
 * are removed.
 */
export function collectTogether(gauges: readonly Gauge[], read: () => Promise<() => void>): void {
  let reading: Promise<void> | undefined;
  const readAndShow = async () => {
    const show = await read();
    for (const gauge of gauges) gauge.reset();
    show();
  };
  const collect = () => {
    reading ??= readAndShow().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  for (const gauge of gauges) Reflect.set(gauge, 'collect', collect);
}
