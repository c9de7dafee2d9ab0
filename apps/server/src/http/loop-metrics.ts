import type { Registry } from 'prom-client';
import type { LoopTimes } from '../lib/loop-times.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_loop_late_seconds: gauge(
    'Time since a loop last completed a run, beyond its usual pause. Minutes mean that it fails.',
    'loop',
  ),
};

/** Metric of a worker's loops, by the name of each. */
export function observeLoops(registry: Registry, times: Pick<LoopTimes, 'lateSeconds'>): void {
  observe(registry, METRICS, () => ({
    counterfoil_loop_late_seconds: times.lateSeconds().map(({ loop, seconds }) => [{ loop }, seconds]),
  }));
}
