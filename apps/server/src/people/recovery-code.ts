import { createHash } from 'node:crypto';
import { randomText } from '../lib/random.ts';

/** Recovery codes: each replaces a lost two-factor method once, never the password. */

const RECOVERY_CODES = 10;
/** Letters and digits that are easy to copy from paper. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const HALF = 5;
const FORM = new RegExp(`^[${ALPHABET}]{${2 * HALF}}$`);

export function drawRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => `${randomText(ALPHABET, HALF)}-${randomText(ALPHABET, HALF)}`);
}

/** A code's stored hash, if well-formed. Attempts are limited, so it need not be slow. */
export function hashRecoveryCode(personId: bigint, written: string): Buffer | undefined {
  const code = written.toUpperCase().replaceAll(/[\s-]/g, '');
  return FORM.test(code) ? createHash('sha256').update(`${personId}:${code}`).digest() : undefined;
}
