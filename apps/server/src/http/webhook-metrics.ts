import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { SAVED_ATTEMPTS } from '../webhooks/attempt-topic.ts';
import { readWebhookHealth } from '../webhooks/webhook-health-sql.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_webhook_oldest_due_seconds: gauge(
    'How long the oldest delivery has been due. More than seconds means that nobody sends, or that a receiver hangs.',
  ),
  counterfoil_webhook_failing_endpoints: gauge('Callback addresses whose latest attempt failed.'),
};

const OUTCOMES = { delivered: 'delivered', pending: 'retry', failed: 'failed' } as const;

/** Counts the attempts of this process by what became of the delivery. */
function countAttempts(registry: Registry): void {
  const attempts = new Counter({
    name: 'counterfoil_webhook_attempts_total',
    help: 'Attempts to deliver webhooks: delivered, to be tried again, or failed for good.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of Object.values(OUTCOMES)) attempts.inc({ outcome }, 0);
  SAVED_ATTEMPTS.subscribe((saved) => {
    for (const { state } of saved) attempts.inc({ outcome: OUTCOMES[state] });
  });
}

/** Metrics of webhooks: whether merchants are told of events in time. */
export function observeWebhooks(registry: Registry, { queries }: Database, clock: Clock): void {
  observe(registry, METRICS, async () => {
    const health = await readWebhookHealth(queries, new Date(clock.nowMs()));
    return {
      counterfoil_webhook_oldest_due_seconds: health.oldestDueSeconds,
      counterfoil_webhook_failing_endpoints: health.failingEndpoints,
    };
  });
  countAttempts(registry);
}
