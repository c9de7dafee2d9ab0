import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { readWebhookHealth } from '../webhooks/webhook-health-sql.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_webhook_oldest_due_seconds: gauge(
    'How long the oldest delivery has been due. More than seconds means that nobody sends, or that a receiver hangs.',
  ),
  counterfoil_webhook_failing_endpoints: gauge('Callback addresses whose latest attempt failed.'),
};

/** Metrics of webhooks: whether merchants are told of events in time. */
export function observeWebhooks(registry: Registry, { queries }: Database, clock: Clock): void {
  observe(registry, METRICS, async () => {
    const health = await readWebhookHealth(queries, new Date(clock.nowMs()));
    return {
      counterfoil_webhook_oldest_due_seconds: health.oldestDueSeconds,
      counterfoil_webhook_failing_endpoints: health.failingEndpoints,
    };
  });
}
