import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { readSchemaState } from '../db/migrate.ts';

export type Readiness = {
  shuttingDown: boolean;
  /** Names of the process's loops that show no sign of life; absent in a process without loops. */
  stuck?: () => string[];
  /** Faults that keep the process from serving, besides those of its database; absent in a process that can have none. */
  faults?: () => string[];
  /** Faults that do not keep the process from serving. */
  notes?: () => string[];
};

/**
 * How long an answer about the database's health is kept: the database is asked at most once a second, however often
 * the health routes are asked.
 */
const KEPT_MS = 1_000;

/**
 * Health routes. Live: the process answers, and none of its loops hangs. Ready: the process can serve, so a load
 * balancer may send requests. Faults are named only where `explained` is true.
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  findFaults: () => Promise<string[]>,
  readiness: Readiness,
  { explained }: { explained: boolean },
): void {
  app.get('/livez', { schema: { hide: true } }, async (_request, reply) => {
    const stuck = readiness.stuck?.() ?? [];
    return stuck.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'stuck', loops: stuck });
  });
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const own = readiness.faults?.() ?? [];
    const faults = readiness.shuttingDown ? ['shutting down'] : [...own, ...(await findFaults())];
    const explanation = { faults, ...(readiness.notes && { notes: readiness.notes() }) };
    if (faults.length > 0 && explained) request.log.warn({ faults }, 'not ready');
    return reply
      .status(faults.length === 0 ? 200 : 503)
      .send({ status: faults.length === 0 ? 'ok' : 'unavailable', ...(explained && explanation) });
  });
}

async function askDatabase(database: Database): Promise<string[]> {
  try {
    const schema = await readSchemaState(database.pool);
    return schema === 'behind' ? ['schema is behind'] : [];
  } catch {
    return ['database does not answer'];
  }
}

/**
 * Creates the function that finds what keeps the database from serving; the function asks the database at most once a
 * second, with one query at a time.
 */
export function createFindFaults(database: Database, clock: Clock): () => Promise<string[]> {
  let kept: { faults: Promise<string[]>; untilMs: number } | undefined;
  return () => {
    if (kept && clock.nowMs() < kept.untilMs) return kept.faults;
    const asked = { faults: askDatabase(database), untilMs: Number.POSITIVE_INFINITY };
    kept = asked;
    void asked.faults.finally(() => {
      asked.untilMs = clock.nowMs() + KEPT_MS;
    });
    return asked.faults;
  };
}

export function registerMetricsRoute(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
