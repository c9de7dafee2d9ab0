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
 * The count of uses in a right answer of a passkey, given with the person's finger, face or code; undefined for any other
 * answer. The challenge is used up by being answered.
 */
export async function verifyAnswer(
  context: PasskeyContext,
  { response, purpose, sessionHash }: PasskeyCheck,
  { publicKey, signCount }: Pick<KnownPasskey, 'publicKey' | 'signCount'>,
): Promise<number | undefined> {
  const { dashboardUrl } = context;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: expectChallenge(context, { purpose, sessionHash }),
      expectedOrigin: new URL(dashboardUrl).origin,
      expectedRPID: relyingParty(dashboardUrl),
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: signCount },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    // The library throws for answers that are wrong in any way; why does not concern whoever sent one.
    return undefined;
  }
}

/**
 * Finds the passkey that signed the challenge; undefined if none did. A signature counter that does not rise is refused,
 * because the passkey may have been copied.
 */
export async function checkPasskey(context: PasskeyContext, check: PasskeyCheck): Promise<KnownPasskey | undefined> {
  const { database, clock } = context;
  const passkey = await findPasskey(database.queries, Buffer.from(check.response.id, 'base64url'));
  const count = passkey && (await verifyAnswer(context, check, passkey));
  if (!passkey || count === undefined) return undefined;
  const isNoted = await notePasskeyUse(database.queries, passkey.id, count, new Date(clock.nowMs()));
  return isNoted ? passkey : undefined;
}
