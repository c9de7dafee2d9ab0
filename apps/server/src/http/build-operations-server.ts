import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { steadyClock, systemClock } from '../lib/clock.ts';
import { answerClientError } from './error-response.ts';
import { guardConnections, SERVER_TIMES } from './guard-connections.ts';
import type { Readiness } from './health-routes.ts';
import { createAskDatabaseHealth, registerHealthRoutes, registerMetricsRoute } from './health-routes.ts';

type OperationsOptions = {
  database: Database;
  log: FastifyBaseLogger;
  registry: Registry;
  readiness: Readiness;
};

/** Health checks and scrapers need few connections. */
const MAX_CONNECTIONS = 1_000;

/** Health and metrics on a separate port, which need not be reachable from outside. */
export function buildOperationsServer(options: OperationsOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    ...SERVER_TIMES,
    clientErrorHandler: (cause, socket) => answerClientError(cause, socket),
  });
  guardConnections(app.server, { total: MAX_CONNECTIONS, trustedProxies: [], clock: systemClock });
  registerHealthRoutes(app, options.readiness, createAskDatabaseHealth(options.database, steadyClock));
  registerMetricsRoute(app, options.registry);
  return app;
}
