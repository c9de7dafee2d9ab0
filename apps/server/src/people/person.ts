import { createHash, randomBytes } from 'node:crypto';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** Users of the dashboard. */

const CODE_LENGTH = 12;
const LINK_BYTES = 32;
const LINK_FORM = /^[A-Za-z0-9_-]{43}$/;

export const OPERATOR_ROLES = ['operator', 'support'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export function createPersonCode(): string {
  return `PER-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export function createInvitationCode(): string {
  return `INV-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export function createViewCode(): string {
  return `VIE-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export function createSessionCode(): string {
  return `SES-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export function drawLinkToken(): string {
  return randomBytes(LINK_BYTES).toString('base64url');
}

/** The stored hash of a link token; undefined for malformed tokens. */
export function hashLinkToken(token: string): Buffer | undefined {
  return LINK_FORM.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

export const totpPurpose = (personId: bigint) => `totp:${personId}`;
