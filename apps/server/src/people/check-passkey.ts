import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { expectChallenge, relyingParty } from './challenge.ts';
import type { PeopleContext } from './people-context.ts';
import type { ChallengePurpose, KnownPasskey } from './passkey-sql.ts';
import { findPasskey, notePasskeyUse } from './passkey-sql.ts';

export type PasskeyContext = PeopleContext & {
  /** The dashboard's URL: a passkey is bound to its host. */
  dashboardUrl: string;
};

type PasskeyCheck = {
  response: AuthenticationResponseJSON;
  purpose: ChallengePurpose;
  sessionHash: Buffer | null;
};

/** The signature counter of a valid, user-verified answer; undefined for any other. The challenge is used up. */
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
    // The library throws for every invalid answer; the sender does not learn why.
    return undefined;
  }
}

/** Finds the passkey that signed the challenge. A counter that does not rise is refused: the passkey may be a copy. */
export async function checkPasskey(context: PasskeyContext, check: PasskeyCheck): Promise<KnownPasskey | undefined> {
  const { database, clock } = context;
  const passkey = await findPasskey(database.queries, Buffer.from(check.response.id, 'base64url'));
  const count = passkey && (await verifyAnswer(context, check, passkey));
  if (!passkey || count === undefined) return undefined;
  const isNoted = await notePasskeyUse(database.queries, passkey.id, count, new Date(clock.nowMs()));
  return isNoted ? passkey : undefined;
}
