import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type pg from 'pg';
import { createAskDatabase } from '../db/ask-database.ts';
import { countStatements } from '../db/count-statements.ts';
import type { Watching } from '../checkout/live-views.ts';
import type { Connections } from './guard-connections.ts';
import { VERSION } from '../lib/version.ts';
import { counter, gauge, observe } from './observe.ts';

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 3, 10];

const TOO_MANY = 429;
/** Shorter than the limit of a read of metrics, which removes samples. */
const ANSWER_LIMIT_MS = 2_500;

const BUILD_METRICS = {
  counterfoil_build_info: gauge('1, with the version and the commit of this process.', 'version', 'commit'),
};

const DATABASE_UP_METRICS = {
  counterfoil_database_up: gauge('1 while the database answers this process, otherwise 0.'),
};

const DATABASE_METRICS = {
  counterfoil_database_connections: gauge('Connections of this process to the database, by state.', 'state'),
};

const CONNECTION_METRICS = {
  counterfoil_http_connections: gauge('Open connections of the public port.'),
  counterfoil_http_connections_refused_total: counter(
    'Connections that were refused: all places were taken, or all of one address.',
  ),
};

const VIEWER_METRICS = {
  counterfoil_checkout_viewers: gauge('Open streams of the checkout page.'),
  counterfoil_checkout_feed_lag_seconds: gauge(
    'Time since the change feed was last read for viewers; 0 without viewers.',
  ),
};

/** Statements beyond the idle connections: pg-pool queues every statement, even if an idle connection takes it immediately. */
const countWaiting = ({ waitingCount, idleCount }: pg.Pool) => Math.max(0, waitingCount - idleCount);

/**
 * Metrics for operators. Labels are routes and statuses, never a merchant or store, so that the number of time series
 * stays bounded.
 */
export function createMetrics(pool: pg.Pool): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  observe(registry, BUILD_METRICS, () => ({ counterfoil_build_info: [[VERSION, 1]] }));
  const isUp = createAskDatabase(pool, ANSWER_LIMIT_MS);
  observe(registry, DATABASE_UP_METRICS, async () => ({ counterfoil_database_up: (await isUp()) ? 1 : 0 }));
  observe(registry, DATABASE_METRICS, () => ({
    counterfoil_database_connections: [
      [{ state: 'open' }, pool.totalCount],
      [{ state: 'idle' }, pool.idleCount],
      [{ state: 'waited_for' }, countWaiting(pool)],
    ],
  }));
  const uses = new Counter({
    name: 'counterfoil_database_uses_total',
    help: 'Statements or transactions that this process sent to the database.',
    registers: [registry],
  });
  pool.on('acquire', () => uses.inc());
  const statements = new Counter({
    name: 'counterfoil_database_statements_total',
    help: 'Statements that this process sent to the database, begin and commit included: one round trip each.',
    registers: [registry],
  });
  countStatements(pool, () => statements.inc());
  return registry;
}

export function observeRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'counterfoil_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  const refused = new Counter({
    name: 'counterfoil_rate_refusals_total',
    help: 'Requests that were refused because their caller had made too many.',
    labelNames: ['route'],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    if (reply.statusCode === TOO_MANY) refused.inc({ route });
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}

/** Metrics of connections: many connections without requests are the sign of a flood of sockets. */
export function observeConnections(registry: Registry, connections: Connections): void {
  observe(registry, CONNECTION_METRICS, () => ({
    counterfoil_http_connections: connections.open(),
    counterfoil_http_connections_refused_total: connections.refused(),
  }));
}

/** Metrics of checkout viewers: the lag of the change feed shows first when viewers are told late. */
export function observeViewers(registry: Registry, watching: Pick<Watching, 'viewers' | 'lagSeconds'>): void {
  observe(registry, VIEWER_METRICS, () => ({
    counterfoil_checkout_viewers: watching.viewers(),
    counterfoil_checkout_feed_lag_seconds: watching.lagSeconds(),
  }));
}
