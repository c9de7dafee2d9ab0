import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { requireFactor } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import { confirmPendingTotp, readTotp } from './factor-sql.ts';
import { issueFirstCodes, issueRecoveryCodes } from './issue-recovery-codes.ts';
import { keepEarlier } from './keep-earlier.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import { raiseProof } from './raise-proof.ts';
import type { PeopleContext } from './people-context.ts';
import { totpPurpose } from './person.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';
import { findTotpStep } from './totp.ts';

type ConfirmedTotp = { recoveryCodes: string[]; token: string };

/**
 * Confirms an app by its first code and ends other sessions. Returns the session's new token and, with a first method or
 * in place of another app, recovery codes, which are shown only once.
 */
export async function confirmTotp(context: PeopleContext, actor: Person, code: string): Promise<ConfirmedTotp> {
  requireElevated(actor);
  const { database, clock, ring } = context;
  const { id: personId, sessionHash, address, agent } = actor;
  const reserved = await requireFactor(context, actor, { personId, signsIn: false });
  const present = await readTotp(database.queries, personId);
  const secretId = present?.pendingSecretId ?? null;
  if (secretId === null) throw new Refusal('TOTP_NOT_BEGUN');
  const secret = await openSecret(database.queries, ring, secretId, totpPurpose(personId));
  const step = findTotpStep(secret, code, clock.nowMs(), 0n);
  if (step === undefined) throw new Refusal('FACTOR_WRONG');
  await giveBackAttempts(database.queries, reserved);
  return inTransaction(database, async (tx) => {
    const session = await lockActor(tx, actor);
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'factors' }, at);
    if (!(await confirmPendingTotp(tx, personId, { secretId, step }, at))) throw new Refusal('TOTP_NOT_BEGUN');
    const isReplaced = typeof present?.secretId === 'bigint';
    const recoveryCodes = await (isReplaced ? issueRecoveryCodes : issueFirstCodes)(tx, personId);
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'totp-added', personId, address, agent }, at);
    const data = { ...undo, factor: 'app', at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'factor-added', data });
    const token = await raiseProof(tx, actor, { session, proof: 'totp' }, at);
    return { recoveryCodes, token };
  });
}
