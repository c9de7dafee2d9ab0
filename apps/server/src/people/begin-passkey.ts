import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { generateRegistrationOptions } from '@simplewebauthn/server';
import type { Person } from '../lib/actor.ts';
import { MAX_PASSKEYS } from './ask-passkey.ts';
import { requireChallenge } from './attempt.ts';
import { drawChallenge, relyingParty } from './challenge.ts';
import type { PasskeyContext } from './check-passkey.ts';
import { listPasskeys } from './passkey-sql.ts';
import { readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';

/** Starts adding a passkey; a device that already holds one of the user's passkeys refuses. */
export async function beginPasskey(
  context: PasskeyContext,
  actor: Person,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  requireElevated(actor);
  const { database, dashboardUrl } = context;
  await requireChallenge(database.queries, actor);
  const { mail, name } = await readPerson(database.queries, actor.id);
  const known = await listPasskeys(database.queries, actor.id, MAX_PASSKEYS);
  return generateRegistrationOptions({
    rpName: 'Counterfoil',
    rpID: relyingParty(dashboardUrl),
    userName: mail,
    userDisplayName: name,
    userID: new TextEncoder().encode(actor.code),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
    challenge: await drawChallenge(context, { purpose: 'register', sessionHash: actor.sessionHash }),
  });
}
