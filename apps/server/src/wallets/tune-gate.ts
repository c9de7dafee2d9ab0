import type { Context } from '../db/context.ts';
import type { RequestGate } from '../platforms/exchange/request-gate.ts';
import { countWorkers } from '../secrets/ring-holder-sql.ts';
import { readPauses } from './exchange-account-sql.ts';

/**
 * Updates this process's request gate from the database: a pause applies to all workers, because further requests would
 * lengthen a ban, and all workers share the quota of our IP address.
 */
export async function tuneGate({ database, clock }: Context, gate: RequestGate): Promise<void> {
  gate.shareWith(await countWorkers(database.queries));
  for (const { baseUrl, pausedUntil } of await readPauses(database.queries, new Date(clock.nowMs())))
    gate.pauseUntil(baseUrl, pausedUntil.getTime());
}
