import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Visitor } from '../lib/actor.ts';
import { MAX_PASSKEYS } from './ask-passkey.ts';
import { knownDevice, requireChallenge } from './attempt.ts';
import { drawChallenge, relyingParty } from './challenge.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { listPasskeys } from './passkey-sql.ts';
import { requireHalfSession } from './require-half-session.ts';

/** Requests a passkey to complete a sign-in by password. Only that sign-in can use the answer. */
export async function askPasskeyFactor(
  context: PasskeyContext,
  actor: Visitor,
  token: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { database, dashboardUrl } = context;
  const { hash, personId } = await requireHalfSession(context, token);
  const device = await knownDevice(context, actor, { personId });
  await requireChallenge(database.queries, device ? { device } : { address: actor.address });
  await requireChallenge(database.queries, { sessionHash: hash });
  const known = await listPasskeys(database.queries, personId, MAX_PASSKEYS);
  return generateAuthenticationOptions({
    rpID: relyingParty(dashboardUrl),
    userVerification: 'required',
    challenge: await drawChallenge(context, { purpose: 'factor', sessionHash: hash }),
    allowCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
  });
}
