import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { probeDeliveries, takeFailingEndpoints } from './probe-sql.ts';

const PROBE_EVERY_MS = 5 * 60_000;
const BATCH = 200;

type Probed = { probed: number; more: boolean };

export async function probeEndpoints({ database, clock }: Context): Promise<Probed> {
  return inTransaction(database, async (tx) => {
    const now = new Date(clock.nowMs());
    const until = new Date(now.getTime() + PROBE_EVERY_MS);
    const endpoints = await takeFailingEndpoints(tx, now, until, BATCH);
    return { probed: await probeDeliveries(tx, endpoints, now, until), more: endpoints.length === BATCH };
  });
}
