import type { Context } from '../db/context.ts';
import type { RequestGate } from '../platforms/exchange/request-gate.ts';
import { countWorkers } from '../secrets/ring-holder-sql.ts';
import { readPauses } from './exchange-account-sql.ts';

/**
 * Tells the gate of this process about the others: it stays closed to platforms that asked any of them for a pause, because
 * whoever goes on asking is banned for longer, and quotas of our address are shared by all workers.
 */
export async function tuneGate({ database, clock }: Context, gate: RequestGate): Promise<void> {
  gate.shareWith(await countWorkers(database.queries));
  for (const { baseUrl, pausedUntil } of await readPauses(database.queries, new Date(clock.nowMs())))
    gate.pauseUntil(baseUrl, pausedUntil.getTime());
}
