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

/** Stops the API while it creates an invoice, which waits for a lock. */
async function stopApi({ servers, clients, around, store, database, faults }: Stopping) {
  const holder = await database.connect();
  await holder.query('begin');
  await holder.query('lock table invoices in share mode');
  const created = createInvoice(clients, store, around.shop.callbackUrl).then(
    () => true,
    (cause: unknown) => {
      faults.add(`the invoice under way was not created: ${String(cause)}`);
      return false;
    },
  );
  const isWaiting = async () => {
    const { rows } = await database.query(
      `select from pg_stat_activity where application_name = 'counterfoil-api' and wait_event_type = 'Lock'
         and datname = current_database()`,
    );
    return rows.length > 0;
  };
  await waitUntil(isWaiting, { what: 'Nothing is under way.', timeoutMs: TIMEOUT_MS, pollMs: POLL_MS });
  const release = async () => {
    await holder.query('commit');
    holder.release();
  };
  const ms = await stopDuring(servers.api, release, faults);
  return { ms, created: await created };
}

export async function stopAll(stopping: Stopping) {
  const { servers, faults } = stopping;
  const worker = await stopWorker(stopping);
  const api = await stopApi(stopping);
  const dashboardMs = await stopDuring(servers.dashboard, async () => {}, faults);
  return {
    webhooks: worker.webhooks,
    webhooks_verified: worker.verified,
    stop_ms: { worker: Math.round(worker.ms), api: Math.round(api.ms), dashboard: Math.round(dashboardMs) },
    created_while_stopping: api.created,
  };
}
