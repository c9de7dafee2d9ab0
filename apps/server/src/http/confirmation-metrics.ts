import type { Registry } from 'prom-client';
import { readConfirmation } from '../confirmations/confirmation-sql.ts';
import type { Database } from '../db/database.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_database_confirmed: gauge(
    'Whether a worker has confirmed within a minute that the database is not older than its mark: 1 or 0. Without it no amounts are quoted.',
  ),
};

export function observeConfirmation(registry: Registry, { queries }: Database): void {
  observe(registry, METRICS, async () => {
    const { confirmed } = await readConfirmation(queries);
    return { counterfoil_database_confirmed: confirmed ? 1 : 0 };
  });
}
