import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { TypedFactor } from '../people/check-factor.ts';
import type { PasskeyContext } from '../people/check-passkey.ts';
import { verifyAnswer } from '../people/check-passkey.ts';
import type { Credentials, UsedMethod } from '../people/earlier-credentials.ts';
import { totpPurpose } from '../people/person.ts';
import { hashRecoveryCode } from '../people/recovery-code.ts';
import { findTotpStep } from '../people/totp.ts';
import { openSecret } from '../secrets/open-secret.ts';

/** A two-factor method from before the changes: a typed code, or a passkey's answer. */
export type EarlierFactor = TypedFactor | { passkey: AuthenticationResponseJSON };

type Check = { personId: bigint; linkHash: Buffer; factor: EarlierFactor };

async function checkTotp(
  { database, clock, ring }: PasskeyContext,
  states: readonly Credentials[],
  personId: bigint,
  code: string,
): Promise<UsedMethod | undefined> {
  const apps = new Set(states.flatMap(({ totp }) => (totp ? [totp.secretId] : [])));
  for (const secretId of apps) {
    const secret = await openSecret(database.queries, ring, BigInt(secretId), totpPurpose(personId));
    const step = findTotpStep(secret, code, clock.nowMs(), 0n);
    if (step !== undefined) return { kind: 'totp', secretId, step };
  }
  return undefined;
}

async function checkPasskey(
  context: PasskeyContext,
  states: readonly Credentials[],
  { linkHash }: Check,
  response: AuthenticationResponseJSON,
): Promise<UsedMethod | undefined> {
  const credentialId = Buffer.from(response.id, 'base64url').toString('hex');
  const [passkey] = states.flatMap(({ passkeys }) => passkeys.filter((one) => one.credentialId === credentialId));
  if (!passkey) return undefined;
  const stored = { publicKey: Buffer.from(passkey.publicKey, 'hex'), signCount: passkey.signCount };
  const signCount = await verifyAnswer(context, { response, purpose: 'undo', sessionHash: linkHash }, stored);
  return signCount === undefined ? undefined : { kind: 'passkey', credentialId, signCount };
}

/** The given method, if earlier credentials have it, used or not. The caller has counted the attempt. */
export async function checkEarlierFactor(
  context: PasskeyContext,
  states: readonly Credentials[],
  check: Check,
): Promise<UsedMethod | undefined> {
  const { personId, factor } = check;
  if ('passkey' in factor) return checkPasskey(context, states, check, factor.passkey);
  if ('totp' in factor) return checkTotp(context, states, personId, factor.totp);
  const hash = hashRecoveryCode(personId, factor.recovery)?.toString('hex');
  const isKnown = states.some(({ recovery }) => recovery.some((one) => one.hash === hash));
  if (hash === undefined || !isKnown) return undefined;
  return { kind: 'recovery', hash, usedAt: new Date(context.clock.nowMs()).toISOString() };
}
