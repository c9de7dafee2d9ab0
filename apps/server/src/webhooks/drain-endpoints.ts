import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { endDrainedDeliveries, endDraining, forgetFailures } from './drain-sql.ts';

const BATCH = 1_000;
/** No transaction lasts this long, so none can still write a delivery to an endpoint that it saw enabled. */
const SETTLED_AFTER_MS = 15 * MINUTE_MS;

type Drained = { ended: number; more: boolean };

/** Ends what waits for webhook endpoints that were disabled or deleted, so that none is lost silently. */
export async function drainEndpoints({ database, clock }: Context): Promise<Drained> {
  return inTransaction(database, async (tx) => {
    const nowMs = clock.nowMs();
    const ended = await endDrainedDeliveries(tx, new Date(nowMs), BATCH);
    await forgetFailures(tx);
    if (ended === 0) await endDraining(tx, new Date(nowMs - SETTLED_AFTER_MS));
    return { ended, more: ended === BATCH };
  });
}
