import type { Registry } from 'prom-client';
import { COUNTED_UP_TO, countUnacknowledged } from '../audit/alarm-sql.ts';
import type { Database } from '../db/database.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_alarms_unacknowledged: gauge(
    `Alarms that nobody has acknowledged, by kind (docs/alarms.md); ${COUNTED_UP_TO} stands for more.`,
    'kind',
  ),
};

/** Metric of unacknowledged alarms, by kind of alarm. */
export function observeAlarms(registry: Registry, { queries }: Database): void {
  observe(registry, METRICS, async () => {
    const counted = await countUnacknowledged(queries);
    return { counterfoil_alarms_unacknowledged: counted.map(({ kind, alarms }) => [{ kind }, alarms]) };
  });
}
