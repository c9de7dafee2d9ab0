import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { readSchemaState } from '../db/migrate.ts';

export type Readiness = {
  shuttingDown: boolean;
  /** Loops that show no life; where nobody watches, none. */
  stuck?: () => string[];
};

/** Alive: the process answers, and nothing in it hangs. Ready: it can serve, so a load balancer may send requests. */
export function registerHealthRoutes(app: FastifyInstance, database: Database, readiness: Readiness): void {
  app.get('/livez', { schema: { hide: true } }, async (_request, reply) => {
    const stuck = readiness.stuck?.() ?? [];
    return stuck.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'stuck', loops: stuck });
  });
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const faults = await findFaults(database, readiness);
    if (faults.length > 0) request.log.warn({ faults }, 'not ready');
    return reply
      .status(faults.length === 0 ? 200 : 503)
      .send({ status: faults.length === 0 ? 'ok' : 'unavailable', faults });
  });
}

async function findFaults(database: Database, readiness: Readiness): Promise<string[]> {
  if (readiness.shuttingDown) return ['shutting down'];
  try {
    const schema = await readSchemaState(database.pool);
    return schema === 'behind' ? ['schema is behind'] : [];
  } catch {
    return ['database does not answer'];
  }
}

export function registerMetricsRoute(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
