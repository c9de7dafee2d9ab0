import type { RegistrationResponseJSON, VerifiedRegistrationResponse } from '@simplewebauthn/server';
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { MAX_PASSKEYS } from './ask-passkey.ts';
import { expectChallenge, relyingParty } from './challenge.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { issueFirstCodes } from './issue-recovery-codes.ts';
import { keepEarlier } from './keep-earlier.ts';
import { lockActor } from './lock-actor.ts';
import { mailPerson } from './mail-person.ts';
import { raiseProof } from './raise-proof.ts';
import { insertPasskey, listPasskeys } from './passkey-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionsOf } from './session-sql.ts';

type AddPasskeyInput = { response: RegistrationResponseJSON; name: string };

async function verify(
  context: PasskeyContext,
  { sessionHash }: Person,
  response: RegistrationResponseJSON,
): Promise<NonNullable<VerifiedRegistrationResponse['registrationInfo']> | undefined> {
  const { dashboardUrl } = context;
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: expectChallenge(context, { purpose: 'register', sessionHash }),
      expectedOrigin: new URL(dashboardUrl).origin,
      expectedRPID: relyingParty(dashboardUrl),
      requireUserVerification: true,
    });
    return verified ? registrationInfo : undefined;
  } catch {
    // The library throws for every invalid answer.
    return undefined;
  }
}

type AddedPasskey = { recoveryCodes: string[]; token: string };

/**
 * Adds a passkey and ends all other sessions of the user. Returns the session's new token and, with a first method,
 * recovery codes, which are shown only once.
 */
export async function addPasskey(
  context: PasskeyContext,
  actor: Person,
  { response, name }: AddPasskeyInput,
): Promise<AddedPasskey> {
  requireElevated(actor);
  const { database, clock, ring } = context;
  const { id: personId, sessionHash, address, agent } = actor;
  const made = await verify(context, actor, response);
  if (!made) throw new Refusal('FACTOR_WRONG');
  if ((await listPasskeys(database.queries, personId, MAX_PASSKEYS)).length >= MAX_PASSKEYS)
    throw new Refusal('TOO_MANY_PASSKEYS', { most: MAX_PASSKEYS });
  const { credential, credentialBackedUp: backedUp } = made;
  const passkey = {
    personId,
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: credential.transports ?? [],
    backedUp,
    name,
  };
  return inTransaction(database, async (tx) => {
    const session = await lockActor(tx, actor);
    const at = new Date(clock.nowMs());
    const undo = await keepEarlier(tx, ring, { personId, changed: 'factors' }, at);
    if (!(await insertPasskey(tx, passkey, at))) throw new Refusal('FACTOR_WRONG');
    const recoveryCodes = await issueFirstCodes(tx, personId);
    await revokeSessionsOf(tx, personId, sessionHash, at);
    await insertSecurityEvent(tx, { kind: 'passkey-added', personId, address, agent }, at);
    const data = { ...undo, factor: 'passkey', at: String(at.getTime()) };
    await mailPerson(tx, context, { personId, template: 'factor-added', data });
    const token = await raiseProof(tx, actor, { session, proof: 'passkey' }, at);
    return { recoveryCodes, token };
  });
}
