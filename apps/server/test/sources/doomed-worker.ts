import { dieAtFailpoint } from '../doomed-worker.ts';
import type { World } from './world.ts';

/** A worker beside the world's own reader, which lets it have everything. */
export async function dieAt({ shop, rig, reader }: World, failpoint: string): Promise<void> {
  await reader.handOver();
  try {
    await dieAtFailpoint(shop.url, failpoint, rig.settings());
  } finally {
    // What the dead had claimed would be free by itself in a while.
    await reader.handOver();
  }
}
