import type { WorkerRig } from './worker-rig.ts';
import { drain } from './worker-rig.ts';

/**
 * Figures of days, and facts that are emailed: a receiver that fails and recovers, and a balance that is low and
 * recovers.
 */

const HOUR_MS = 3_600_000;

const look = (rig: WorkerRig) => drain(rig, (name) => name === 'notices');

export async function tellFacts(rig: WorkerRig): Promise<void> {
  await drain(rig, (name) => name === 'days');
  const { pool } = rig.own;
  const since = new Date(rig.clock.nowMs() - 2 * HOUR_MS);
  await pool.query(
    `insert into endpoints (store_id, url, host, failures, failing_since) values ($1, 'https://told.test/', 'told.test', 1, $2)
     on conflict (store_id, url) do update set failures = 1, failing_since = $2`,
    [rig.store.id, since],
  );
  await pool.query('update stores set low_balance_micro_usd = 1000000000000 where id = $1', [rig.store.id]);
  await look(rig);
  await pool.query(`update endpoints set failures = 0, failing_since = null where url = 'https://told.test/'`);
  await pool.query('update stores set low_balance_micro_usd = 1 where id = $1', [rig.store.id]);
  await look(rig);
}
