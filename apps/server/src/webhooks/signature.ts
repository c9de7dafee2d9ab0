import { createHmac } from 'node:crypto';

/** Standard Webhooks: HMAC-SHA256 over id, timestamp and body, one signature per live secret. */

const PREFIX = 'whsec_';

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

export type SignedHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };

/** The id stays the same over retries; the time is that of the attempt. */
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
    'webhook-signature': secrets.map((secret) => sign(secret, content)).join(' '),
  };
}
