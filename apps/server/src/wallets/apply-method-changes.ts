import { isAllowed } from '@counterfoil/core/permission.ts';
import type { BaseLogger } from 'pino';
import { recordAudit } from '../audit/record-audit.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { isOperatorName, nameOfActor } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { mailOwners } from '../people/mail-owners.ts';
import type { MethodFault } from './method-change.ts';
import { findDueFault } from './method-change.ts';
import type { WaitingChange } from './method-change-sql.ts';
import { decideWaiting, listDueChanges, lockWaitingChange } from './method-change-sql.ts';
import { placeMethod } from './place-method.ts';

type ApplyContext = MailContext & { log: Pick<BaseLogger, 'error'> };

const BATCH = 20;

function exchangeOf(change: WaitingChange) {
  const { secretId, baseUrl, keyHint, boundToAddresses, isSubAccount, keyExpiresAt, requestedAt: checkedAt } = change;
  if (secretId === null || baseUrl === null || keyHint === null || boundToAddresses === null || isSubAccount === null)
    return undefined;
  return { secretId, baseUrl, keyHint, boundToAddresses, isSubAccount, keyExpiresAt, checkedAt };
}

/** Ends a change that cannot be applied and notifies the operator. */
async function failChange(
  tx: Tx,
  { clock }: ApplyContext,
  actor: Actor,
  { change, fault, at }: { change: WaitingChange; fault: MethodFault; at: Date },
): Promise<void> {
  const { code, merchantAccountId, storeId, network, address, requestedBy } = change;
  const decided = { state: 'failed', by: nameOfActor(actor), at, fault } as const;
  await decideWaiting(tx, { merchantAccountId, code }, decided);
  const details = { change: code, network, address, fault };
  await raiseAlarms(tx, at, [{ kind: 'method-change-failed', subject: `store:${storeId}`, details }]);
  await recordAudit(tx, clock, actor, {
    action: 'method.fail',
    subject: `store:${storeId}`,
    details: { ...details, requestedBy },
  });
}

async function applyChange(
  tx: Tx,
  context: ApplyContext,
  actor: Actor,
  { change, merchantActive }: { change: WaitingChange; merchantActive: boolean },
): Promise<void> {
  const { clock } = context;
  const { code, merchantAccountId, storeId, network, family, address, storeActive, requestedBy } = change;
  const { requesterRole, storeLive } = change;
  const at = new Date(clock.nowMs());
  const requesterAllowed = isOperatorName(requestedBy) || isAllowed(requesterRole ?? '', 'method.change', storeLive);
  const dueFault = findDueFault({ merchantActive, storeActive, requesterAllowed });
  if (dueFault) return failChange(tx, context, actor, { change, fault: dueFault, at });
  const exchange = exchangeOf(change);
  const placed = await placeMethod(tx, { network, family, address, storeId, merchantAccountId, exchange }, at);
  if ('fault' in placed) return failChange(tx, context, actor, { change, fault: placed.fault, at });
  await decideWaiting(tx, { merchantAccountId, code }, { state: 'applied', by: nameOfActor(actor), at });
  if (placed.walletId !== undefined) {
    const data = { wallet: String(placed.walletId), at: String(at.getTime()) };
    await mailOwners(tx, context, { merchantAccountId, template: 'method-changed', data });
  }
  await recordAudit(tx, clock, actor, {
    action: exchange ? 'exchange.add' : 'wallet.add',
    subject: `store:${storeId}`,
    details: { after: { network, [exchange ? 'account' : 'address']: address }, change: code, requestedBy },
  });
}

/**
 * Applies due payment-method changes, each in its own transaction; returns whether there may be more. Every fact is
 * read again while the merchant's methods are held. A failing change delays no other.
 */
export async function applyMethodChanges(context: ApplyContext, actor: Actor): Promise<boolean> {
  const { database, clock, log } = context;
  const due = await listDueChanges(database.queries, new Date(clock.nowMs()), BATCH);
  let decided = 0;
  for (const { id, merchantAccountId } of due) {
    try {
      await inTransaction(database, async (tx) => {
        const held = await holdMethods(tx, merchantAccountId);
        const change = await lockWaitingChange(tx, id);
        if (held && change) await applyChange(tx, context, actor, { change, merchantActive: held.active });
      });
      decided += 1;
    } catch (cause) {
      log.error({ err: cause, change: String(id) }, 'a change of a payment method could not be applied');
    }
  }
  return due.length === BATCH && decided > 0;
}
