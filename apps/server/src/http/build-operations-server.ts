import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { fastify, LogController } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Readiness } from './health-routes.ts';
import { registerHealthRoutes, registerMetricsRoute } from './health-routes.ts';

export type OperationsOptions = {
  database: Database;
  log: FastifyBaseLogger;
  registry: Registry;
  readiness: Readiness;
};

/** Health and metrics on a port of their own, which need not be reachable from outside. */
export function buildOperationsServer(options: OperationsOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
  });
  registerHealthRoutes(app, options.database, options.readiness);
  registerMetricsRoute(app, options.registry);
  return app;
}
