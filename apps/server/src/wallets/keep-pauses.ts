import type { Context } from '../db/context.ts';
import type { RequestGate } from '../platforms/exchange/request-gate.ts';
import { readPauses } from './exchange-account-sql.ts';

/** Closes a gate to platforms that asked any process for a pause: whoever goes on asking is banned for longer. */
export async function keepPauses({ database, clock }: Context, gate: RequestGate): Promise<void> {
  for (const { baseUrl, pausedUntil } of await readPauses(database.queries, new Date(clock.nowMs())))
    gate.pauseUntil(baseUrl, pausedUntil.getTime());
}
