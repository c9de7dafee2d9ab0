import type { Context } from '../db/context.ts';
import { REMEMBERED_DAYS } from './export.ts';
import { expireExports, findErasableExport, forgetExports, markErased } from './export-retention-sql.ts';
import { deleteChunks } from './export-sql.ts';

const DAY_MS = 86_400_000;
/** How many rows of exports one round ends or forgets. */
const BATCH = 100;
/** How many chunks one round deletes. */
const CHUNKS = 32;

/**
 * Ends exports whose time is over, one round: files expire, chunks without a use are deleted, and exports of long ago are
 * forgotten. Returns whether there may be more.
 */
export async function eraseExports({ database: { queries }, clock }: Context): Promise<boolean> {
  const now = new Date(clock.nowMs());
  const expired = await expireExports(queries, now, BATCH);
  const erasable = await findErasableExport(queries);
  if (erasable !== undefined && (await deleteChunks(queries, erasable, CHUNKS)) < CHUNKS)
    await markErased(queries, erasable);
  const forgotten = await forgetExports(queries, new Date(now.getTime() - REMEMBERED_DAYS * DAY_MS), BATCH);
  return expired === BATCH || erasable !== undefined || forgotten === BATCH;
}
