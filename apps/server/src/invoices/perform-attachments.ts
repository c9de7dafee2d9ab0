import type { BaseLogger } from 'pino';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Failpoint } from '../lib/failpoint.ts';
import { Refusal } from '../lib/refusal.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { attachTransfer } from './attach-transfer.ts';
import { nextTryAfter } from './attachment.ts';
import type { DueAttachment } from './attachment-sql.ts';
import { decideAttachment, listDueAttachments, lockAsked, postponeAttachment } from './attachment-sql.ts';

type PerformContext = NetworksContext & { log: Pick<BaseLogger, 'error'>; failpoint: Failpoint };

const BATCH = 20;
const GIVEN_UP = 'INTERNAL_ERROR';

/** Ends a request that a rule forbids, or whose attempts are used up, which an operator should check. */
async function endRequest(
  { database, clock }: Context,
  actor: Actor,
  { id, code, transId, network, txId, index, askedBy }: DueAttachment,
  { state, fault }: { state: 'refused' | 'failed'; fault: string },
): Promise<void> {
  const at = new Date(clock.nowMs());
  const details = { attachment: code, network, txId, index, fault };
  await inTransaction(database, async (tx) => {
    if (!(await lockAsked(tx, id))) return;
    await decideAttachment(tx, id, { state, at, fault });
    if (state === 'failed')
      await raiseAlarms(tx, at, [{ kind: 'attachment-failed', subject: `invoice:${transId}`, details }]);
    await recordAudit(tx, clock, actor, {
      action: 'transfer.refuse',
      subject: `invoice:${transId}`,
      details: { ...details, askedBy },
    });
  });
}

/** Postpones a request, or ends it when its attempts are used up. */
async function postpone(context: PerformContext, actor: Actor, request: DueAttachment): Promise<void> {
  const { database, clock } = context;
  const tries = request.tries + 1;
  const until = nextTryAfter(tries, new Date(clock.nowMs()));
  if (!until) return endRequest(context, actor, request, { state: 'failed', fault: GIVEN_UP });
  await inTransaction(database, async (tx) => {
    if (await lockAsked(tx, request.id)) await postponeAttachment(tx, request.id, tries, until);
  });
}

async function perform(context: PerformContext, actor: Actor, request: DueAttachment): Promise<void> {
  const { id, askedBy, transId, network, txId, index } = request;
  try {
    const asked = { id, askedBy, networks: context.networks };
    await attachTransfer(context, actor, { transId, network, txId, index, request: asked });
  } catch (cause) {
    if (cause instanceof Refusal) return endRequest(context, actor, request, { state: 'refused', fault: cause.code });
    context.log.error({ err: cause, attachment: request.code }, 'a transfer could not be attached yet');
    await postpone(context, actor, request);
  }
}

/**
 * Performs members' requests; returns whether there may be more. A request is decided in the transaction that attaches
 * its transfer, so it happens exactly once even if the worker dies.
 */
export async function performAttachments(context: PerformContext, actor: Actor): Promise<boolean> {
  const { database, clock, failpoint } = context;
  const due = await listDueAttachments(database.queries, new Date(clock.nowMs()), BATCH);
  for (const request of due) {
    await failpoint('attachment:found');
    await perform(context, actor, request);
    await failpoint('attachment:performed');
  }
  return due.length === BATCH;
}
