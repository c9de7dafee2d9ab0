import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { collectTogether } from './collect-together.ts';
import { readWebhookHealth } from '../webhooks/webhook-health-sql.ts';

/** Metrics of webhooks: whether merchants are told in time, read when they are scraped. */
export function observeWebhooks(registry: Registry, database: Database, clock: Clock): void {
  const registers = [registry];
  const oldestDue = new Gauge({
    name: 'counterfoil_webhook_oldest_due_seconds',
    help: 'How long the oldest delivery has been due. More than seconds means that nobody sends, or that a receiver hangs.',
    registers,
  });
  const failing = new Gauge({
    name: 'counterfoil_webhook_failing_endpoints',
    help: 'Callback addresses whose latest attempt failed.',
    registers,
  });
  collectTogether([oldestDue, failing], async () => {
    const health = await readWebhookHealth(database.queries, new Date(clock.nowMs()));
    return () => {
      oldestDue.set(health.oldestDueSeconds);
      failing.set(health.failingEndpoints);
    };
  });
}
