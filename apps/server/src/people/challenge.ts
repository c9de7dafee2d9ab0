import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../db/context.ts';
import type { ChallengePurpose } from './passkey-sql.ts';
import { insertChallenge, takeChallenge } from './passkey-sql.ts';

/** Challenges: random values that a passkey signs, each for one use, one purpose and one session. */

const CHALLENGE_BYTES = 32;
const CHALLENGE_MS = 300_000;

export const relyingParty = (dashboardUrl: string) => new URL(dashboardUrl).hostname;

const hashChallenge = (challenge: string) => createHash('sha256').update(challenge).digest();

type ChallengeInput = { purpose: ChallengePurpose; sessionHash: Buffer | null };

/** Draws a challenge and keeps its hash. */
export async function drawChallenge(
  { database, clock }: Context,
  { purpose, sessionHash }: ChallengeInput,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES));
  const hash = hashChallenge(Buffer.from(challenge).toString('base64url'));
  const expiresAt = new Date(clock.nowMs() + CHALLENGE_MS);
  await insertChallenge(database.queries, { hash, purpose, sessionHash, expiresAt });
  return challenge;
}

/** Checks that the answer's challenge is ours for this purpose and session, and uses it up. */
export function expectChallenge(
  { database, clock }: Context,
  { purpose, sessionHash }: ChallengeInput,
): (challenge: string) => Promise<boolean> {
  return async (challenge) =>
    takeChallenge(database.queries, { hash: hashChallenge(challenge), purpose, sessionHash }, new Date(clock.nowMs()));
}
