import { randomBytes } from 'node:crypto';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A store is one integration of a merchant: one API key, one merchant code, one balance. */

const MERCHANT_CODE_LENGTH = 12;
const WEBHOOK_SECRET_BYTES = 32;

export const LIFETIME_MINUTES = { minimum: 10, usual: 30, maximum: 1_440 } as const;

/** How long after its end an invoice still completes by an exact payment. */
export const GRACE_MINUTES = { minimum: 0, maximum: 1_440 } as const;

export function createMerchantCode(): string {
  return `MID-${randomText(UPPER_ALPHANUMERIC, MERCHANT_CODE_LENGTH)}`;
}

/** A Standard Webhooks secret: `whsec_` and base64. */
export function createWebhookSecret(): string {
  return `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;
}

export function apiKeyPurpose(storeId: bigint, hash: Buffer): string {
  return `api_key:${storeId}:${hash.toString('hex')}`;
}

export function webhookSecretPurpose(storeId: bigint): string {
  return `webhook_secret:${storeId}`;
}
