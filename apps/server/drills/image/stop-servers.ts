import type pg from 'pg';
import { steadyClock } from '../../src/lib/clock.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { Container } from './container.ts';
import type { ServerName } from './installation.ts';
import type { Clients, Store } from './purchase.ts';
import { createInvoice } from './purchase.ts';
import type { Surroundings } from './surroundings.ts';

/** Stops the servers as engines do, by a signal to the first process of each, while each has something under way. */

export type Stopping = {
  servers: Record<ServerName, Container>;
  clients: Clients;
  around: Surroundings;
  store: Store;
  database: pg.Pool;
  faults: Faults;
};

const TIMEOUT_MS = 20_000;
const POLL_MS = 20;
const HTTP_UNAUTHORIZED = 401;

/** Sends the signal, waits until the server says that it is stopping, finishes what it waits for, and waits for its end. */
async function stopDuring(server: Container, finish: () => Promise<unknown>, faults: Faults): Promise<number> {
  server.stop();
  const startedMs = steadyClock.nowMs();
  const isStopping = () => server.output().includes('"msg":"stopping"');
  await waitUntil(isStopping, { what: `${server.name} ignores the signal.`, timeoutMs: TIMEOUT_MS, pollMs: POLL_MS });
  await finish();
  const code = await server.ended();
  if (code !== 0) faults.add(`${server.name} ended with exit code ${code}: ${server.output().slice(-2_000)}`);
  if (!server.output().includes('"msg":"stopped"')) faults.add(`${server.name} does not say that it has stopped`);
  return steadyClock.nowMs() - startedMs;
}

/** Stops the worker while the merchant's server has not yet answered a webhook. */
async function stopWorker({ servers, around, database, faults }: Stopping) {
  const { shop } = around;
  const limits = { what: 'No webhook arrives.', timeoutMs: TIMEOUT_MS, pollMs: POLL_MS };
  await waitUntil(() => shop.told.length > 0, limits);
  const ms = await stopDuring(servers.worker, async () => shop.answerNow(), faults);
  const { rows } = await database.query<{ state: string; attempts: number }>(`select state, attempts from deliveries`);
  const [delivery] = rows;
  if (delivery?.state !== 'delivered' || delivery.attempts !== 1)
    faults.add(`the webhook under way was not finished: ${JSON.stringify(rows)}`);
  const verified = shop.told.every((one) => one.verified);
  if (!verified) faults.add('a webhook is not signed with the secret of the store');
  return { ms, webhooks: shop.told.length, verified };
}

type HeldTable = 'invoices' | 'security_events';

/** Locks a table against changes, and returns the function that lets go of it. */
async function holdTable(database: pg.Pool, table: HeldTable) {
  const holder = await database.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in share mode`);
  return async () => {
    await holder.query('commit');
    holder.release();
  };
}

/** Stops a server while one of its requests waits for a locked table. `request` throws unless the answer is right. */
async function stopDuringRequest(
  { servers, database, faults }: Stopping,
  name: 'api' | 'dashboard',
  table: HeldTable,
  request: () => Promise<unknown>,
) {
  const release = await holdTable(database, table);
  const answered = request().then(
    () => true,
    (cause: unknown) => {
      faults.add(`the request under way of ${name} was not finished: ${String(cause)}`);
      return false;
    },
  );
  const isWaiting = async () => {
    const { rows } = await database.query(
      `select from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'
         and datname = current_database()`,
      [`counterfoil-${name}`],
    );
    return rows.length > 0;
  };
  await waitUntil(isWaiting, { what: 'Nothing is under way.', timeoutMs: TIMEOUT_MS, pollMs: POLL_MS });
  const ms = await stopDuring(servers[name], release, faults);
  return { ms, answered: await answered };
}

/** Signs in with a mail address that the dashboard does not know: it writes the attempt down before it refuses it. */
async function signInAsNobody({ dashboard }: Clients, dashboardUrl: string): Promise<void> {
  const { status, body } = await dashboard.ask('/api/dashboard/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(dashboardUrl).origin },
    body: JSON.stringify({ mail: 'nobody@example.com', password: 'nothing that anybody has' }),
  });
  if (status !== HTTP_UNAUTHORIZED || !body.includes('SIGN_IN_REFUSED')) throw new Error(`${status}: ${body}`);
}

export async function stopAll(stopping: Stopping) {
  const { clients, around, store } = stopping;
  const worker = await stopWorker(stopping);
  const create = () => createInvoice(clients, store, around.shop.callbackUrl);
  const api = await stopDuringRequest(stopping, 'api', 'invoices', create);
  const signIn = () => signInAsNobody(clients, around.caddy.dashboardUrl);
  const dashboard = await stopDuringRequest(stopping, 'dashboard', 'security_events', signIn);
  return {
    webhooks: worker.webhooks,
    webhooks_verified: worker.verified,
    stop_ms: { worker: Math.round(worker.ms), api: Math.round(api.ms), dashboard: Math.round(dashboard.ms) },
    created_while_stopping: api.answered,
    answered_while_stopping: dashboard.answered,
  };
}
