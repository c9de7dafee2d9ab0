import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { COUNTED_UP_TO, countUnacknowledged } from '../audit/alarm-sql.ts';
import type { Database } from '../db/database.ts';

/** Metric of unacknowledged alarms, of every kind, read when it is scraped. */
export function observeAlarms(registry: Registry, database: Database): void {
  const unacknowledged = new Gauge({
    name: 'counterfoil_alarms_unacknowledged',
    help: `Alarms that nobody has acknowledged, by kind (docs/alarms.md); ${COUNTED_UP_TO} stands for more.`,
    labelNames: ['kind'],
    registers: [registry],
  });
  Reflect.set(unacknowledged, 'collect', async () => {
    for (const { kind, alarms } of await countUnacknowledged(database.queries)) unacknowledged.set({ kind }, alarms);
  });
}
