import { setTimeout as wait } from 'node:timers/promises';
import type { Shop } from '../engine/shop.ts';
import { dieAtFailpoint } from '../doomed-worker.ts';
import type { World } from './world.ts';

const POLL_MS = 20;
const MAX_POLLS = 500;

/** A statement that a worker sent before it died may take effect after its death: it could take a lease once more. */
async function untilItsConnectionsEnd({ database }: Shop): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'counterfoil-worker'`,
    );
    if (rowCount === 0) return;
    await wait(POLL_MS);
  }
  throw new Error('The connections of a dead worker stay.');
}

/** A worker beside the world's own reader, which lets it have everything. */
export async function dieAt({ shop, rig, reader }: World, failpoint: string): Promise<void> {
  await reader.handOver();
  try {
    await dieAtFailpoint(shop.url, failpoint, rig.settings());
    await untilItsConnectionsEnd(shop);
  } finally {
    // What the dead had claimed would be free by itself in a while.
    await reader.handOver();
  }
}
