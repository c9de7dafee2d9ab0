import { raiseAlarms } from '../audit/raise-alarms.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { preferIndexOrder } from '../db/ordered-reads.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { insertDeliveries } from '../webhooks/event-sql.ts';
import { freeImpossibleLeases } from '../webhooks/lease-sql.ts';
import { insertEndpointDeliveries } from '../webhooks/subscription-sql.ts';
import { recordEvents } from './record-events.ts';
import { lockInvoices } from './change-invoice-sql.ts';
import type { Reached, UnsentEvent } from './reconcile-sql.ts';
import { findUnsent, findUntold, lockReached, moveReached, readEnded } from './reconcile-sql.ts';

/** Checks each ended invoice once: a missing event or delivery is written now and raises an alarm. */

const BATCH = 1_000;
/** No transaction lasts this long, so every earlier end is committed. */
const SETTLED_AFTER_MS = 15 * 60_000;
const OVERDUE_MS = 3_600_000;
const MAX_OVERDUE_LOOKED_AT = 10_000;

type Reconciled = {
  checked: number;
  events: number;
  deliveries: number;
  /** Deliveries with an impossible lease, which were freed. */
  freed: number;
  more: boolean;
};

const NOTHING: Reconciled = { checked: 0, events: 0, deliveries: 0, freed: 0, more: false };

type Mended = Pick<Reconciled, 'events' | 'deliveries'>;

async function insertMissingDeliveries(tx: Tx, unsent: readonly UnsentEvent[], at: Date): Promise<void> {
  const ofCallbacks = unsent.flatMap(({ url, ...one }) => (url === null ? [] : [{ ...one, url }]));
  await insertDeliveries(tx, ofCallbacks, at);
  const ofEndpoints = unsent.flatMap(({ eventId, endpointId }) =>
    endpointId === null ? [] : [{ eventId, endpointIds: [endpointId] }],
  );
  await insertEndpointDeliveries(tx, ofEndpoints, at);
}

async function mend(tx: Tx, clock: Clock, ids: readonly bigint[], actor: Actor): Promise<Mended> {
  // Read again under the lock: a late payment may have ended the invoice a second time.
  const suspects = (await findUntold(tx, ids)).map(({ id }) => id);
  await lockInvoices(tx, suspects);
  const untold = await findUntold(tx, suspects);
  const unsent = await findUnsent(tx, ids);
  if (untold.length + unsent.length === 0) return { events: 0, deliveries: 0 };
  const at = new Date(clock.nowMs());
  await recordEvents(
    tx,
    at,
    untold.map((invoice) => ({ invoice, decision: { status: invoice.status, late: invoice.late } })),
  );
  await insertMissingDeliveries(tx, unsent, at);
  const missing = [
    ...untold.map(({ transId }) => ({ transId, missing: 'event' })),
    ...unsent.map(({ transId, eventId }) => ({ transId, missing: 'delivery', eventId })),
  ];
  await raiseAlarms(
    tx,
    at,
    missing.map(({ transId, ...details }) => ({ kind: 'event-missing', subject: transId, details })),
  );
  const details = { missing };
  await recordAudit(tx, clock, actor, { action: 'webhook.reconcile', subject: 'events', details });
  return { events: untold.length, deliveries: unsent.length };
}

type Checked = { reconciled: Reconciled; reached: Reached };

async function checkBatch(tx: Tx, clock: Clock, after: Reached, actor: Actor): Promise<Checked> {
  const before = new Date(clock.nowMs() - SETTLED_AFTER_MS);
  const ended = await preferIndexOrder(tx, () => readEnded(tx, after, before, BATCH));
  const last = ended.at(-1);
  if (!last) return { reconciled: NOTHING, reached: after };
  const mended = await mend(
    tx,
    clock,
    ended.map(({ id }) => id),
    actor,
  );
  const reconciled = { ...mended, checked: ended.length, freed: 0, more: ended.length === BATCH };
  return { reconciled, reached: { at: last.endedAt, id: last.id } };
}

/** Checks the next batch; of several workers one at a time. */
export function reconcileEvents({ database, clock }: Context, actor: Actor): Promise<Reconciled> {
  return inTransaction(database, async (tx) => {
    const after = await lockReached(tx);
    if (!after) return NOTHING;
    const dueBefore = new Date(clock.nowMs() - OVERDUE_MS);
    // Freed before the check, because the check may write an audit entry, whose lock must be a transaction's last.
    const freed = await freeImpossibleLeases(tx, dueBefore, MAX_OVERDUE_LOOKED_AT);
    const { reconciled, reached } = await checkBatch(tx, clock, after, actor);
    if (reached.at !== 'beginning') await moveReached(tx, reached.at, reached.id);
    return { ...reconciled, freed };
  });
}

/** Checks all invoices that ended since a time, after rows were lost or restored. */
export async function reconcileSince(
  { database, clock }: Context,
  actor: Actor,
  { since }: { since: Date },
): Promise<Omit<Reconciled, 'more' | 'freed'>> {
  const sum = { checked: 0, events: 0, deliveries: 0 };
  let after: Reached = { at: since, id: 0n };
  for (let more = true; more;) {
    const { reconciled, reached } = await inTransaction(database, (tx) => checkBatch(tx, clock, after, actor));
    sum.checked += reconciled.checked;
    sum.events += reconciled.events;
    sum.deliveries += reconciled.deliveries;
    after = reached;
    more = reconciled.more;
  }
  return sum;
}
