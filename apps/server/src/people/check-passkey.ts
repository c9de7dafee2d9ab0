import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { expectChallenge, relyingParty } from './challenge.ts';
import type { PeopleContext } from './people-context.ts';
import type { ChallengePurpose, KnownPasskey } from './passkey-sql.ts';
import { findPasskey, notePasskeyUse } from './passkey-sql.ts';

export type PasskeyContext = PeopleContext & {
  /** The address of the dashboard: a passkey answers to its host alone. */
  dashboardUrl: string;
};

type PasskeyCheck = {
  response: AuthenticationResponseJSON;
  purpose: ChallengePurpose;
  sessionHash: Buffer | null;
};

/**
 * The passkey that gave a right answer, with the person's finger, face or code; undefined for any other answer. The
 * challenge is used up by being answered, and a count of uses that does not rise means a copied key.
 */
export async function checkPasskey(
  context: PasskeyContext,
  { response, purpose, sessionHash }: PasskeyCheck,
): Promise<KnownPasskey | undefined> {
  const { database, clock, dashboardUrl } = context;
  const passkey = await findPasskey(database.queries, Buffer.from(response.id, 'base64url'));
  if (!passkey) return undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: expectChallenge(context, { purpose, sessionHash }),
      expectedOrigin: new URL(dashboardUrl).origin,
      expectedRPID: relyingParty(dashboardUrl),
      credential: {
        id: response.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.signCount,
      },
      requireUserVerification: true,
    });
    const isRight =
      verified &&
      (await notePasskeyUse(database.queries, passkey.id, authenticationInfo.newCounter, new Date(clock.nowMs())));
    return isRight ? passkey : undefined;
  } catch {
    // The library throws for answers that are wrong in any way; why does not concern whoever sent one.
    return undefined;
  }
}
