import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { mailOwners } from './mail-owners.ts';
import type { CancelledRequest } from './requested-change-sql.ts';
import { cancelRequestsOf } from './requested-change-sql.ts';

type Requester = { personCode: string; merchantAccountId?: bigint };

/**
 * Cancels the payment-method changes that a person requested and notifies the owners. The caller holds the merchants'
 * methods and records the result at the end of its transaction.
 */
export async function cancelRequests(
  tx: Tx,
  outbox: Outbox,
  actor: Operator | Person,
  requester: Requester,
): Promise<CancelledRequest[]> {
  const at = new Date(outbox.clock.nowMs());
  const cancelled = await cancelRequestsOf(tx, requester, { by: nameOfActor(actor), at });
  const by = actor.kind === 'person' ? actor.code : 'operator';
  for (const { change, merchantAccountId } of cancelled) {
    const data = { change, by, at: String(at.getTime()) };
    await mailOwners(tx, outbox, { merchantAccountId, template: 'method-change-cancelled', data });
  }
  return cancelled;
}

type CancelReason = 'requester-removed' | 'requester-demoted' | 'requester-disabled';

/** Records each cancelled change in the audit of its store. */
export async function recordCancelledRequests(
  tx: Tx,
  clock: Clock,
  actor: Operator | Person,
  { cancelled, because }: { cancelled: readonly CancelledRequest[]; because: CancelReason },
): Promise<void> {
  for (const { change, storeId } of cancelled)
    await recordAudit(tx, clock, actor, {
      action: 'method.cancel',
      subject: `store:${storeId}`,
      details: { change, because },
    });
}
