import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { REMEMBERED_DAYS } from './export.ts';
import { expireExports, findErasableExport, forgetExports, markErased } from './export-retention-sql.ts';
import { deleteChunks } from './export-sql.ts';

const BATCH = 100;
const CHUNKS = 32;

/** Expires files, deletes their chunks and forgets old exports, one batch each. Returns whether there may be more. */
export async function eraseExports({ database: { queries }, clock }: Context): Promise<boolean> {
  const now = new Date(clock.nowMs());
  const expired = await expireExports(queries, now, BATCH);
  const erasable = await findErasableExport(queries);
  if (erasable !== undefined && (await deleteChunks(queries, erasable, CHUNKS)) < CHUNKS)
    await markErased(queries, erasable);
  const forgotten = await forgetExports(queries, new Date(now.getTime() - REMEMBERED_DAYS * DAY_MS), BATCH);
  return expired === BATCH || erasable !== undefined || forgotten === BATCH;
}
