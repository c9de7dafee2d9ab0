import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { SchemaState } from '../db/compatibility.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { readSchemaState } from '../db/migrate.ts';
import { VERSION } from '../lib/version.ts';

export type Readiness = {
  shuttingDown: boolean;
  /** Hanging loops; absent in a process without loops. */
  stuck?: () => string[];
  /** Faults that keep the process from serving, if it can have any. */
  faults?: () => string[];
  /** Faults that do not keep the process from serving. */
  notes?: () => string[];
};

/** The database is asked at most once a second. */
const KEPT_MS = 1_000;

/** Faults keep a process from serving, notes do not. */
type Health = { faults: readonly string[]; notes: readonly string[] };

const HEALTHY: Health = { faults: [], notes: [] };

/** The schema may change after the process has started. */
const SCHEMA_HEALTH: Record<SchemaState, Health> = {
  current: HEALTHY,
  compatible: { faults: [], notes: ['schema is newer, and this version supports it'] },
  behind: { faults: ['schema is behind'], notes: [] },
  newer: { faults: ['schema is newer than this version supports'], notes: [] },
  changed: { faults: ['schema has a migration that was changed'], notes: [] },
};

/** Health checks, which load balancers send over plain HTTP about every second. */
export const isProbe = ({ url }: Pick<FastifyRequest, 'url'>): boolean => url === '/livez' || url === '/readyz';

/**
 * Live: the process answers and no loop hangs. Ready: it can serve and, with `askDatabaseHealth`, so can its database.
 * Load balancers ask without it, because a fault of the shared database would remove every process. Only answers about
 * the database have faults, notes and version.
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  readiness: Readiness,
  askDatabaseHealth?: () => Promise<Health>,
): void {
  app.get('/livez', { schema: { hide: true } }, async (_request, reply) => {
    const stuck = readiness.stuck?.() ?? [];
    return stuck.length === 0 ? { status: 'ok' } : reply.status(503).send({ status: 'stuck', loops: stuck });
  });
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const isAsked = askDatabaseHealth !== undefined && !readiness.shuttingDown;
    const shared = isAsked ? await askDatabaseHealth() : HEALTHY;
    const own = readiness.shuttingDown ? ['shutting down'] : (readiness.faults?.() ?? []);
    const faults = [...own, ...shared.faults];
    const notes = [...(readiness.notes?.() ?? []), ...shared.notes];
    if (faults.length > 0 && askDatabaseHealth) request.log.warn({ faults }, 'not ready');
    const status = faults.length === 0 ? 'ok' : 'unavailable';
    return reply
      .status(status === 'ok' ? 200 : 503)
      .send({ status, ...(askDatabaseHealth && { faults, notes, ...VERSION }) });
  });
}

async function askDatabase(database: Database): Promise<Health> {
  try {
    return SCHEMA_HEALTH[await readSchemaState(database.pool)];
  } catch {
    return { faults: ['database does not answer'], notes: [] };
  }
}

/** Checks the database at most once a second, one query at a time. */
export function createAskDatabaseHealth(database: Database, clock: Clock): () => Promise<Health> {
  let kept: { health: Promise<Health>; untilMs: number } | undefined;
  return () => {
    if (kept && clock.nowMs() < kept.untilMs) return kept.health;
    const asked = { health: askDatabase(database), untilMs: Number.POSITIVE_INFINITY };
    kept = asked;
    void asked.health.finally(() => {
      asked.untilMs = clock.nowMs() + KEPT_MS;
    });
    return asked.health;
  };
}

export function registerMetricsRoute(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
}
