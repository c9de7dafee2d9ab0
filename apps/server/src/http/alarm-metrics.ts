import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { COUNTED_UP_TO, countUnacknowledged } from '../audit/alarm-sql.ts';
import type { Database } from '../db/database.ts';

/** Alarms that wait for a person, of every kind there is, read when it is asked for. */
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
