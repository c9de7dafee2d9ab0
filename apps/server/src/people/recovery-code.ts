import { createHash } from 'node:crypto';
import { randomText } from '../lib/random.ts';

/** Recovery codes: each stands once for the second factor that a person has lost, never for the password. Pure. */

const RECOVERY_CODES = 10;
/** Letters and digits that nobody confuses when copying from paper. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const HALF = 5;
const FORM = new RegExp(`^[${ALPHABET}]{${2 * HALF}}$`);

export function drawRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => `${randomText(ALPHABET, HALF)}-${randomText(ALPHABET, HALF)}`);
}

/**
 * The hash by which a recovery code is found; undefined for a text that is no recovery code. Fifty random bits need no
 * slow hash here, because tries are few and counted.
 */
export function hashRecoveryCode(personId: bigint, written: string): Buffer | undefined {
  const code = written.toUpperCase().replaceAll(/[\s-]/g, '');
  return FORM.test(code) ? createHash('sha256').update(`${personId}:${code}`).digest() : undefined;
}
