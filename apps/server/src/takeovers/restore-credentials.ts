import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireUndo } from '../people/attempt.ts';
import { giveBackAttempts } from '../people/attempt-sql.ts';
import type { PasskeyContext } from '../people/check-passkey.ts';
import type { UsedMethod } from '../people/earlier-credentials.ts';
import { nameOfMethod } from '../people/earlier-credentials.ts';
import { findUndoLink } from '../people/link-sql.ts';
import { lockPerson, readPerson } from '../people/person-sql.ts';
import { lockOpenRestore, stopOpenRestore } from '../people/restore-sql.ts';
import { insertSecurityEvent } from '../people/security-event-sql.ts';
import { applyRestore, orAddressTaken } from './apply-restore.ts';
import type { EarlierFactor } from './check-earlier-factor.ts';
import { checkEarlierFactor } from './check-earlier-factor.ts';
import { holdMerchants, lockMerchants } from './lock-merchants.ts';
import { openStates } from './open-states.ts';
import type { UndoLink } from './require-undo-link.ts';
import { requireUndoLink } from './require-undo-link.ts';
import { decideUndo, statesOfLink } from './undo.ts';

type RestoreInput = { token: string; factor: EarlierFactor };

async function restore(
  tx: Tx,
  context: PasskeyContext,
  actor: Visitor,
  { link, used }: { link: UndoLink; used: UsedMethod },
): Promise<void> {
  const { clock, ring } = context;
  const { hash, personId, earlierId: linkedId } = link;
  const at = new Date(clock.nowMs());
  const merchants = await holdMerchants(tx, personId, at);
  await lockPerson(tx, personId);
  if (!(await findUndoLink(tx, hash, at))) throw new Refusal('LINK_INVALID');
  const states = await openStates(tx, ring, personId, at);
  const pending = await lockOpenRestore(tx, personId);
  const decision = decideUndo({ kept: states, linkedId, proof: nameOfMethod(used), pending });
  if (decision.kind !== 'restore') throw new Refusal(decision.kind === 'refused' ? 'FACTOR_WRONG' : 'LINK_INVALID');
  if (decision.endsPending) await stopOpenRestore(tx, personId, at);
  await applyRestore(tx, context, { personId, states, target: decision.target, used, origin: actor }, at);
  const { code: personCode } = await readPerson(tx, personId);
  const { address } = actor;
  await lockMerchants(tx, context, actor, { merchants, personCode, details: { undoOf: personCode, address } });
  await recordAudit(tx, clock, actor, {
    action: 'person.restore',
    subject: `person:${personCode}`,
    details: { proof: used.kind, address },
  });
}

/** Restores credentials immediately by an undo link and a two-factor method or recovery code of that time. */
export async function restoreCredentials(
  context: PasskeyContext,
  actor: Visitor,
  { token, factor }: RestoreInput,
): Promise<void> {
  const { database, clock, ring } = context;
  const { queries } = database;
  const link = await requireUndoLink(context, actor, token);
  const { hash: linkHash, personId, earlierId } = link;
  const reserved = await requireUndo(queries, 'prove', personId);
  const kept = await openStates(queries, ring, personId, new Date(clock.nowMs()));
  const states = statesOfLink(kept, earlierId).map(({ credentials }) => credentials);
  const used = await checkEarlierFactor(context, states, { personId, linkHash, factor });
  if (!used) {
    const { address, agent } = actor;
    await insertSecurityEvent(queries, { kind: 'factor-refused', personId, address, agent }, new Date(clock.nowMs()));
    throw new Refusal('FACTOR_WRONG');
  }
  await orAddressTaken(inTransaction(database, (tx) => restore(tx, context, actor, { link, used })));
  await giveBackAttempts(queries, reserved);
}
