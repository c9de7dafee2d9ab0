import type { Outbound } from '../lib/outbound-http.ts';
import type { Clock } from '../lib/clock.ts';
import type { AttemptOutcome } from './delivery.ts';
import { maxAttemptsOf, planNext, quietUntilMs } from './delivery.ts';
import type { EndedAttempt } from './attempt-sql.ts';
import type { ClaimedDelivery } from './delivery-sql.ts';
import { signWebhook } from './signature.ts';

/** One attempt: signs, posts, and plans what follows. */

const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 65_536;
/** The same for all events; signed headers are added. */
export const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Counterfoil-Webhooks/1' } as const;
/** The outcome for a test store with failing webhooks: nothing is sent. */
const FAILED_ON_PURPOSE = {
  status: 503,
  excerpt: 'The sandbox let this attempt fail.',
  durationMs: 0,
  retryAfter: undefined,
};

export type SendContext = {
  outbound: Outbound;
  clock: Clock;
  /** In [0, 1), for the jitter of retries. */
  random: () => number;
  /** The store's present secrets, newest first; undefined when unreadable. */
  secretsOf: (storeId: bigint) => Promise<readonly string[] | undefined>;
  /** The same of a webhook endpoint, which has secrets of its own. */
  endpointSecretsOf: (endpointId: bigint) => Promise<readonly string[] | undefined>;
};

/** Undefined when it cannot be signed: nothing was sent. */
export async function sendDelivery(context: SendContext, delivery: ClaimedDelivery): Promise<EndedAttempt | undefined> {
  const at = new Date(context.clock.nowMs());
  const { ofEndpoint, endpointId, storeId } = delivery;
  const secrets = await (ofEndpoint ? context.endpointSecretsOf(endpointId) : context.secretsOf(storeId));
  if (!secrets) return undefined;
  const signed = signWebhook(secrets, delivery.eventId, Math.floor(at.getTime() / 1000), delivery.body);
  const headers = { ...FIXED_HEADERS, ...signed };
  const result = delivery.failsOnPurpose
    ? FAILED_ON_PURPOSE
    : await context.outbound.post(delivery.url, {
        headers,
        body: delivery.body,
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
      });
  const outcome: AttemptOutcome =
    'status' in result ? { status: result.status, retryAfter: result.retryAfter } : { error: result.error };
  const endedAtMs = context.clock.nowMs();
  const scheduled = delivery.attempts - delivery.unscheduled;
  const next = planNext(scheduled, outcome, endedAtMs, context.random(), maxAttemptsOf(delivery.type));
  const quietMs = quietUntilMs(outcome, endedAtMs);
  return {
    deliveryId: delivery.id,
    number: delivery.attempts,
    at,
    durationMs: result.durationMs,
    status: 'status' in result ? result.status : null,
    error: 'status' in result ? null : `${result.error}: ${result.message}`,
    requestHeaders: headers,
    responseExcerpt: 'status' in result ? result.excerpt : null,
    state: next.state,
    nextAttemptAt: new Date(next.state === 'pending' ? next.nextAttemptAtMs : endedAtMs),
    quietUntil: quietMs === null ? null : new Date(quietMs),
    leavesHealth: delivery.leavesHealth,
  };
}
