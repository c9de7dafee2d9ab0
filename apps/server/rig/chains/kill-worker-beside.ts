import type { EngineFixture } from '../invoices/engine-fixture.ts';
import { killWorkerAt } from '../processes/kill-worker-at.ts';
import { waitUntil } from '../processes/wait-until.ts';
import type { ChainFixture } from './chain-fixture.ts';

const POLL_MS = 20;

/**
 * Waits for a dead worker's connections to end: a statement sent before its death may still take effect, and take a
 * lease again.
 */
async function untilItsConnectionsEnd({ database }: EngineFixture): Promise<void> {
  const areGone = async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'counterfoil-worker'`,
    );
    return rowCount === 0;
  };
  const what = 'The connections of a dead worker stay.';
  await waitUntil(areGone, { what, pollMs: POLL_MS });
}

/** Kills a worker at a failpoint while the fixture's own reader leaves the lease to this worker. */
export async function killWorkerBeside({ engine, rig, reader }: ChainFixture, failpoint: string): Promise<void> {
  await reader.handOver();
  try {
    await killWorkerAt(engine.url, failpoint, rig.settings());
    await untilItsConnectionsEnd(engine);
  } finally {
    // Dropping the dead worker's leases lets the fixture's reader continue immediately.
    await reader.handOver();
  }
}
