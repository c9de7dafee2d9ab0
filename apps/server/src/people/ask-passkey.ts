import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Person, Visitor } from '../lib/actor.ts';
import { knownDevice, requireChallenge } from './attempt.ts';
import { drawChallenge, relyingParty } from './challenge.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { listPasskeys } from './passkey-sql.ts';

export const MAX_PASSKEYS = 20;

/** Requests a passkey to sign in, without saying whose, or for a step-up of one user. */
export async function askPasskey(
  context: PasskeyContext,
  actor: Visitor | Person,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { database, dashboardUrl } = context;
  const device = actor.kind === 'visitor' ? await knownDevice(context, actor, {}) : undefined;
  await requireChallenge(database.queries, device ? { device } : actor);
  const known = actor.kind === 'person' ? await listPasskeys(database.queries, actor.id, MAX_PASSKEYS) : [];
  const drawn = actor.kind === 'person' ? ('step-up' as const) : ('sign-in' as const);
  const sessionHash = actor.kind === 'person' ? actor.sessionHash : null;
  return generateAuthenticationOptions({
    rpID: relyingParty(dashboardUrl),
    userVerification: 'required',
    challenge: await drawChallenge(context, { purpose: drawn, sessionHash }),
    allowCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
  });
}
