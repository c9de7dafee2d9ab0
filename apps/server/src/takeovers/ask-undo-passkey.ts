import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Visitor } from '../lib/actor.ts';
import { requireChallenge } from '../people/attempt.ts';
import { drawChallenge, relyingParty } from '../people/challenge.ts';
import type { PasskeyContext } from '../people/check-passkey.ts';
import { openStates } from './open-states.ts';
import { requireUndoLink } from './require-undo-link.ts';
import { statesOfLink } from './undo.ts';

/** Requests a passkey from before the changes. Only this link can use the answer. */
export async function askUndoPasskey(
  context: PasskeyContext,
  actor: Visitor,
  token: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { database, clock, ring, dashboardUrl } = context;
  const { hash, personId, earlierId } = await requireUndoLink(context, actor, token);
  await requireChallenge(database.queries, { sessionHash: hash });
  const states = await openStates(database.queries, ring, personId, new Date(clock.nowMs()));
  const passkeys = statesOfLink(states, earlierId).flatMap(({ credentials }) => credentials.passkeys);
  const ids = new Set(passkeys.map(({ credentialId }) => Buffer.from(credentialId, 'hex').toString('base64url')));
  return generateAuthenticationOptions({
    rpID: relyingParty(dashboardUrl),
    userVerification: 'required',
    challenge: await drawChallenge(context, { purpose: 'undo', sessionHash: hash }),
    allowCredentials: Array.from(ids, (id) => ({ id })),
  });
}
