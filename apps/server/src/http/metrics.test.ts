import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { CREATED_INVOICES, ENDED_INVOICES } from '../invoices/invoice-topics.ts';
import { FAILED_JOBS } from '../jobs/job-topic.ts';
import { createManualClock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { VERSION } from '../lib/version.ts';
import { TRIED_MAILS } from '../mail/mail-topic.ts';
import { SAVED_ATTEMPTS } from '../webhooks/attempt-topic.ts';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { observeAlarms } from './alarm-metrics.ts';
import { observeAudit } from './audit-metrics.ts';
import { observeChains } from './chain-metrics.ts';
import { countCreatedInvoices, countEndedInvoices } from './invoice-metrics.ts';
import { observeJobs } from './job-metrics.ts';
import { observeKeyRing } from './key-ring-metrics.ts';
import { observeLoops } from './loop-metrics.ts';
import { createMetrics, observeConnections, observeRequests, observeViewers } from './metrics.ts';
import { observePrices } from './price-metrics.ts';
import { observeWebhooks } from './webhook-metrics.ts';

const clock = createManualClock(Date.UTC(2026, 0, 1, 0, 1, 0));

/** Histogram lines of one network with one payment of this duration. */
function bucketsOf(name: string, seconds: number): string {
  const limits = [1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3_600];
  const buckets = limits.map((le) => `${name}_bucket{le="${le}",network="BSC"} ${seconds <= le ? 1 : 0}`);
  return [
    ...buckets,
    `${name}_bucket{le="+Inf",network="BSC"} 1`,
    `${name}_sum{network="BSC"} ${seconds}`,
    `${name}_count{network="BSC"} 1`,
  ].join('\n');
}

const PRINTED = `\
# HELP counterfoil_metric_reads_failed_total Reads of metrics that failed or took too long; a scrape leaves their samples out.
# TYPE counterfoil_metric_reads_failed_total counter
counterfoil_metric_reads_failed_total 0
# HELP counterfoil_build_info 1, with the version and the commit of this process.
# TYPE counterfoil_build_info gauge
counterfoil_build_info{version="${VERSION.version}",commit="${VERSION.commit}"} 1
# HELP counterfoil_database_up 1 while the database answers this process, otherwise 0.
# TYPE counterfoil_database_up gauge
counterfoil_database_up 1
# HELP counterfoil_database_connections Connections of this process to the database, by state.
# TYPE counterfoil_database_connections gauge
counterfoil_database_connections{state="open"} ANY
counterfoil_database_connections{state="idle"} ANY
counterfoil_database_connections{state="waited_for"} ANY
# HELP counterfoil_database_uses_total Statements or transactions that this process sent to the database.
# TYPE counterfoil_database_uses_total counter
counterfoil_database_uses_total ANY
# HELP counterfoil_database_statements_total Statements that this process sent to the database, begin and commit included: one round trip each.
# TYPE counterfoil_database_statements_total counter
counterfoil_database_statements_total ANY
# HELP counterfoil_chain_head_age_seconds Age of the newest block that the node shows.
# TYPE counterfoil_chain_head_age_seconds gauge
counterfoil_chain_head_age_seconds{network="BSC"} 30
counterfoil_chain_head_age_seconds{network="SOL"} 10
# HELP counterfoil_chain_lag_blocks Blocks between the head and the cursor.
# TYPE counterfoil_chain_lag_blocks gauge
counterfoil_chain_lag_blocks{network="BSC"} 10
counterfoil_chain_lag_blocks{network="SOL"} 0
# HELP counterfoil_chain_frozen 1 while completions and coverage are stopped.
# TYPE counterfoil_chain_frozen gauge
counterfoil_chain_frozen{network="BSC"} 0
counterfoil_chain_frozen{network="SOL"} 1
# HELP counterfoil_chain_coverage_age_seconds Age of the newest block that was read twice at a tier.
# TYPE counterfoil_chain_coverage_age_seconds gauge
counterfoil_chain_coverage_age_seconds{network="BSC",tier="safe"} 40
counterfoil_chain_coverage_age_seconds{network="SOL",tier="finalized"} 60
# HELP counterfoil_chain_accounts Accounts that are read one by one, by what holds of them.
# TYPE counterfoil_chain_accounts gauge
counterfoil_chain_accounts{network="SOL",state="open"} 1
counterfoil_chain_accounts{network="SOL",state="resting"} 0
counterfoil_chain_accounts{network="SOL",state="behind"} 1
counterfoil_chain_accounts{network="SOL",state="failing"} 0
# HELP counterfoil_chain_amounts_held Amounts, of those given out, that are taken or rest; 10000 stands for more.
# TYPE counterfoil_chain_amounts_held gauge
counterfoil_chain_amounts_held{network="BSC",token="USDT"} 1
# HELP counterfoil_chain_inbox_transfers Transfers that pay nothing, by reason; 10000 stands for more.
# TYPE counterfoil_chain_inbox_transfers gauge
counterfoil_chain_inbox_transfers{network="BSC",reason="short"} 1
# HELP counterfoil_chain_disagreements_total Differences between the two looks at a range.
# TYPE counterfoil_chain_disagreements_total counter
counterfoil_chain_disagreements_total{network="BSC"} 1
counterfoil_chain_disagreements_total{network="SOL"} 4
# HELP counterfoil_chain_rewinds_total Reorganisations that were undone.
# TYPE counterfoil_chain_rewinds_total counter
counterfoil_chain_rewinds_total{network="BSC"} 2
counterfoil_chain_rewinds_total{network="SOL"} 5
# HELP counterfoil_chain_dust_total Transfers too small to pay anything.
# TYPE counterfoil_chain_dust_total counter
counterfoil_chain_dust_total{network="BSC"} 3
counterfoil_chain_dust_total{network="SOL"} 6
# HELP counterfoil_chain_duplicate_logs_total Logs dropped because an answer listed them twice.
# TYPE counterfoil_chain_duplicate_logs_total counter
counterfoil_chain_duplicate_logs_total{network="BSC"} 8
counterfoil_chain_duplicate_logs_total{network="SOL"} 0
# HELP counterfoil_chain_account_failures_total Turns of an account that failed.
# TYPE counterfoil_chain_account_failures_total counter
counterfoil_chain_account_failures_total{network="BSC"} 0
counterfoil_chain_account_failures_total{network="SOL"} 7
# HELP counterfoil_webhook_oldest_due_seconds How long the oldest delivery has been due. More than seconds means that nobody sends, or that a receiver hangs.
# TYPE counterfoil_webhook_oldest_due_seconds gauge
counterfoil_webhook_oldest_due_seconds 0
# HELP counterfoil_webhook_failing_endpoints Callback addresses whose latest attempt failed.
# TYPE counterfoil_webhook_failing_endpoints gauge
counterfoil_webhook_failing_endpoints 0
# HELP counterfoil_webhook_attempts_total Attempts to deliver webhooks: delivered, to be tried again, or failed for good.
# TYPE counterfoil_webhook_attempts_total counter
counterfoil_webhook_attempts_total{outcome="delivered"} 1
counterfoil_webhook_attempts_total{outcome="retry"} 2
counterfoil_webhook_attempts_total{outcome="failed"} 0
# HELP counterfoil_audit_head_position The newest link of the audit chain; 0 before the first.
# TYPE counterfoil_audit_head_position gauge
counterfoil_audit_head_position 0
# HELP counterfoil_audit_head_digest The first 48 bits of the digest of that link, as a number.
# TYPE counterfoil_audit_head_digest gauge
counterfoil_audit_head_digest 0
# HELP counterfoil_audit_waiting_entries Audit entries that no worker has chained yet; 10000 stands for more.
# TYPE counterfoil_audit_waiting_entries gauge
counterfoil_audit_waiting_entries 0
# HELP counterfoil_alarms_unacknowledged Alarms that nobody has acknowledged, by kind (docs/alarms.md); 10000 stands for more.
# TYPE counterfoil_alarms_unacknowledged gauge
# HELP counterfoil_price_age_seconds Time since the price sources last agreed on a price of a token; 600 stands for longer, or never.
# TYPE counterfoil_price_age_seconds gauge
counterfoil_price_age_seconds{token="BNB"} 600
counterfoil_price_age_seconds{token="ETH"} 20
counterfoil_price_age_seconds{token="SOL"} 600
counterfoil_price_age_seconds{token="TRX"} 600
counterfoil_price_age_seconds{token="POL"} 600
counterfoil_price_age_seconds{token="AVAX"} 600
counterfoil_price_age_seconds{token="USDT"} 600
counterfoil_price_age_seconds{token="USDC"} 600
# HELP counterfoil_price_source_age_seconds Age of the newest report of a price source.
# TYPE counterfoil_price_source_age_seconds gauge
counterfoil_price_source_age_seconds{source="binance"} 50
counterfoil_price_source_age_seconds{source="kraken"} 5
# HELP counterfoil_jobs_waiting Jobs that no worker does yet, by kind; 10000 stands for more.
# TYPE counterfoil_jobs_waiting gauge
counterfoil_jobs_waiting{kind="make-export"} 0
counterfoil_jobs_waiting{kind="send-mail"} 0
# HELP counterfoil_job_oldest_due_seconds How long the oldest waiting job of a kind has been due.
# TYPE counterfoil_job_oldest_due_seconds gauge
counterfoil_job_oldest_due_seconds{kind="make-export"} 0
counterfoil_job_oldest_due_seconds{kind="send-mail"} 0
# HELP counterfoil_jobs_unsent Jobs of processes with jobs off, which a worker has yet to send; 10000 stands for more.
# TYPE counterfoil_jobs_unsent gauge
counterfoil_jobs_unsent 1
# HELP counterfoil_jobs_failed_total Jobs that failed after their last attempt, by kind.
# TYPE counterfoil_jobs_failed_total counter
counterfoil_jobs_failed_total{kind="send-mail"} 1
counterfoil_jobs_failed_total{kind="make-export"} 0
# HELP counterfoil_emails_total Attempts of this worker to send an email, by outcome.
# TYPE counterfoil_emails_total counter
counterfoil_emails_total{outcome="sent"} 1
counterfoil_emails_total{outcome="dropped"} 0
counterfoil_emails_total{outcome="refused"} 0
counterfoil_emails_total{outcome="retry"} 1
counterfoil_emails_total{outcome="failed"} 0
# HELP counterfoil_invoices_created_total Invoices that this process created, for live or test stores.
# TYPE counterfoil_invoices_created_total counter
counterfoil_invoices_created_total{mode="live"} 1
counterfoil_invoices_created_total{mode="test"} 0
# HELP counterfoil_invoices_ended_total Invoices that this process ended, for live or test stores. One that expired and is then paid counts twice.
# TYPE counterfoil_invoices_ended_total counter
counterfoil_invoices_ended_total{outcome="completed",mode="live"} 1
counterfoil_invoices_ended_total{outcome="completed-late",mode="live"} 0
counterfoil_invoices_ended_total{outcome="expired",mode="live"} 1
counterfoil_invoices_ended_total{outcome="cancelled",mode="live"} 0
counterfoil_invoices_ended_total{outcome="completed",mode="test"} 1
counterfoil_invoices_ended_total{outcome="completed-late",mode="test"} 0
counterfoil_invoices_ended_total{outcome="expired",mode="test"} 0
counterfoil_invoices_ended_total{outcome="cancelled",mode="test"} 0
# HELP counterfoil_payment_detection_seconds Time from the block of a payment that completed an invoice until it was first seen.
# TYPE counterfoil_payment_detection_seconds histogram
${bucketsOf('counterfoil_payment_detection_seconds', 4)}
# HELP counterfoil_payment_completion_seconds Time from the block of a payment until its invoice was completed.
# TYPE counterfoil_payment_completion_seconds histogram
${bucketsOf('counterfoil_payment_completion_seconds', 45)}
# HELP counterfoil_loop_late_seconds Time since a loop last completed a run, beyond its usual pause. Minutes mean that it fails.
# TYPE counterfoil_loop_late_seconds gauge
counterfoil_loop_late_seconds{loop="prices"} 12
# HELP counterfoil_key_ring_usable 1 while the key ring of this process opens something; at 0 it signs no webhook.
# TYPE counterfoil_key_ring_usable gauge
counterfoil_key_ring_usable 1
# HELP counterfoil_key_ring_complete 1 while the key ring of this process opens everything; at 0 some webhooks may wait, or all.
# TYPE counterfoil_key_ring_complete gauge
counterfoil_key_ring_complete 0
# HELP counterfoil_http_connections Open connections of the public port.
# TYPE counterfoil_http_connections gauge
counterfoil_http_connections 11
# HELP counterfoil_http_connections_refused_total Connections that were refused: all places were taken, or all of one address.
# TYPE counterfoil_http_connections_refused_total counter
counterfoil_http_connections_refused_total 12
# HELP counterfoil_checkout_viewers Open streams of the checkout page.
# TYPE counterfoil_checkout_viewers gauge
counterfoil_checkout_viewers 13
# HELP counterfoil_checkout_feed_lag_seconds Time since the change feed was last read for viewers; 0 without viewers.
# TYPE counterfoil_checkout_feed_lag_seconds gauge
counterfoil_checkout_feed_lag_seconds 0.5
# HELP counterfoil_http_request_duration_seconds Time from the arrival of a request to the end of its answer.
# TYPE counterfoil_http_request_duration_seconds histogram
# HELP counterfoil_rate_refusals_total Requests that were refused because their caller had made too many.
# TYPE counterfoil_rate_refusals_total counter`;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await own.database.pool.query(`
    insert into chains (network, height, hash, block_time, head_height, head_time, frozen_at) values
      ('BSC', 90, 'h', '2026-01-01T00:00:00Z', 100, '2026-01-01T00:00:30Z', null),
      ('SOL', 50, 'h', '2026-01-01T00:00:00Z', 50, '2026-01-01T00:00:50Z', now());
    insert into chain_coverage (network, tier, height, block_time) values
      ('BSC', 'safe', 80, '2026-01-01T00:00:20Z');
    insert into followed_accounts (network, account, state, start_at, open_until) values
      ('SOL', 'a', 'following', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z');
    insert into amount_slots (network, token, address, display_units, quote_id, held_until) values
      ('BSC', 'USDT', 'a', 4, 1, 'infinity');
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time,
      seen_at, reason) values ('BSC', 't', '0', 'USDT', 'f', 't', 1, 1, 'h', now(), now(), 'short');
    insert into price_history (token, usd, decided_at) values
      ('ETH', 2500, '2026-01-01T00:00:30Z'), ('ETH', 2501, '2026-01-01T00:00:40Z'), ('SOL', 150, '2025-12-31T23:00:00Z');
    insert into price_reports (source, token, usd, observed_at) values
      ('binance', 'ETH', 2500, '2026-01-01T00:00:10Z'), ('kraken', 'ETH', 2500, '2026-01-01T00:00:55Z'),
      ('kraken', 'SOL', 150, '2025-12-31T23:00:00Z');
    insert into waiting_jobs (name, data, priority, start_after) values ('send-mail', '{}', 0, now());`);
});
afterAll(() => own.drop());

function sourceOf(symbol: string) {
  const network = findNetwork(symbol);
  if (!network) throw new Error(`There is no network ${symbol}.`);
  return { network };
}

function observeEverything() {
  const registry = createMetrics(own.database.pool);
  observeChains(registry, { database: own.database, clock, networks: NETWORKS }, [
    { source: sourceOf('BSC'), counts: { disagreements: 1, rewinds: 2, dust: 3, duplicateLogs: 8, failures: 0 } },
    { source: sourceOf('SOL'), counts: { disagreements: 4, rewinds: 5, dust: 6, duplicateLogs: 0, failures: 7 } },
  ]);
  observeWebhooks(registry, own.database, clock);
  observeAudit(registry, own.database);
  observeAlarms(registry, own.database);
  observePrices(registry, own.database, clock);
  observeJobs(registry, own.database);
  countCreatedInvoices(registry);
  countEndedInvoices(registry, ['BSC']);
  observeLoops(registry, { lateSeconds: () => [{ loop: 'prices', seconds: 12 }] });
  observeKeyRing(registry, { fault: () => new Refusal('RING_UNKNOWN_YET'), isUsable: () => true });
  observeConnections(registry, { open: () => 11, refused: () => 12 });
  observeViewers(registry, { viewers: () => 13, lagSeconds: () => 0.5 });
  observeRequests(fastify(), registry);
  return registry;
}

/** Publishes what verbs publish. */
function publishEverything() {
  CREATED_INVOICES.publish({ live: true });
  const payment = { network: 'BSC', detectedMs: 4_000, completedMs: 45_000 };
  ENDED_INVOICES.publish([
    { live: true, outcome: 'completed', payment },
    { live: false, outcome: 'completed', payment: { ...payment, network: 'sandbox:BSC' } },
    { live: true, outcome: 'expired' },
  ]);
  SAVED_ATTEMPTS.publish([{ state: 'delivered' }, { state: 'pending' }, { state: 'pending' }]);
  FAILED_JOBS.publish('send-mail');
  TRIED_MAILS.publish('retry');
  TRIED_MAILS.publish('sent');
}

/**
 * The printed lines of our own metrics. Counts of database use are left out because they differ between runs, and
 * alarms because another test checks them.
 */
function printedBy(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.includes('counterfoil_') && !line.startsWith('counterfoil_alarms'))
    .map((line) => line.replace(/^(counterfoil_database_[cs]\S+|counterfoil_database_uses_total) \d+$/, '$1 ANY'))
    .join('\n');
}

test('every metric is printed with the name, the help, the type and the labels that dashboards know', async () => {
  const registry = observeEverything();
  publishEverything();
  expect(printedBy(await registry.metrics())).toBe(PRINTED);
  // A second scrape shows the same totals, and does not add to the totals of the first scrape.
  expect(printedBy(await registry.metrics())).toBe(PRINTED);
});

const WAITED_FOR = 'counterfoil_database_connections{state="waited_for"}';

test('a statement waits for a connection only while all of them are in use, and a scrape of an idle process waits for none', async () => {
  const { pool } = own.database;
  const registry = createMetrics(pool);
  expect(await registry.metrics()).toContain(`${WAITED_FOR} 0\n`);
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const waiting = pool.query('select');
  expect(await registry.getSingleMetricAsString('counterfoil_database_connections')).toContain(`${WAITED_FOR} 1`);
  for (const client of clients) client.release();
  await waiting;
  expect(await registry.metrics()).toContain(`${WAITED_FOR} 0\n`);
});
