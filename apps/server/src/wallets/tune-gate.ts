import type { Context } from '../db/context.ts';
import type { RequestGate } from '../platforms/exchange/request-gate.ts';
import { countWorkers } from '../secrets/ring-holder-sql.ts';
import { readPauses } from './exchange-account-sql.ts';

/**
 * Informs this process's gate about the others: pauses apply to all processes, because further requests lengthen a ban,
 * and workers share the quotas of our IP address.
 */
export async function tuneGate({ database, clock }: Context, gate: RequestGate): Promise<void> {
  gate.shareWith(await countWorkers(database.queries));
  for (const { baseUrl, pausedUntil } of await readPauses(database.queries, new Date(clock.nowMs())))
    gate.pauseUntil(baseUrl, pausedUntil.getTime());
}
