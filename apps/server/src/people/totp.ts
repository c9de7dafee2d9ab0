import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { Secret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Accepted steps before and after the present one: phone clocks are off by seconds. */
const WINDOW = 1;
const FORM = /^\d{6}$/;

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Counterfoil', label, secret: Secret.fromBase32(secret), digits: DIGITS, period: STEP_SECONDS });

export function createTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URI that an authenticator app reads from a QR code. */
export function totpAddress(secret: string, mailAddress: string): string {
  return totpOf(secret, mailAddress).toString();
}

/** A code's step, if right and above `lastStep`: codes that were seen being typed are worthless. */
export function findTotpStep(secret: string, code: string, nowMs: number, lastStep: bigint): bigint | undefined {
  if (!FORM.test(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
  if (delta === null) return undefined;
  const step = BigInt(Math.floor(nowMs / SECOND_MS / STEP_SECONDS) + delta);
  return step > lastStep ? step : undefined;
}

/** For tests and rigs that act as an authenticator app. */
export function totpCode(secret: string, nowMs: number): string {
  return totpOf(secret).generate({ timestamp: nowMs });
}
