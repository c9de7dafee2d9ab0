import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey } from 'node:crypto';

/** Standard Webhooks: HMAC-SHA256 over id, timestamp and body, one per active secret. */

const PREFIX = 'whsec_';

/** Cached by list of secrets: making a key costs five times as much as signing. */
const keysOf = new WeakMap<readonly string[], readonly KeyObject[]>();

function keyOf(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64'));
}

function signingKeys(secrets: readonly string[]): readonly KeyObject[] {
  const keys = keysOf.get(secrets) ?? secrets.map(keyOf);
  keysOf.set(secrets, keys);
  return keys;
}

function sign(key: KeyObject, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

type SignedHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };

/** The id stays the same over retries; the time is the attempt's. */
export function signWebhook(
  secrets: readonly string[],
  eventId: string,
  timestampSeconds: number,
  body: string,
): SignedHeaders {
  const content = `${eventId}.${timestampSeconds}.${body}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signingKeys(secrets)
      .map((key) => sign(key, content))
      .join(' '),
  };
}
