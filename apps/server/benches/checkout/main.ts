import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measurePage } from '@counterfoil/checkout/measure-page';
import pg from 'pg';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { residentBytes } from '../../rig/processes/process-usage.ts';
import { followNetwork, setPrices } from '../../rig/site/market.ts';
import type { ViewersOrder, ViewersReport } from './viewers.ts';
import { seedInvoices, seedStores } from '../../rig/invoices/seed-invoices.ts';
import { percentile } from '../../rig/report/percentile.ts';

/**
 * Measures the checkout page: memory of one API process per viewer, time from a commit to the browser, and the page's
 * size. Viewers are real sockets of another process; changes come at an even pace, each to one of the invoices.
 */

const quick = process.argv.includes('--quick');
const VIEWERS = quick ? 500 : 5_000;
const CHANGES_PER_SECOND = 100;
const SECONDS = quick ? 5 : 20;
const WARM_UP_PAGES = 300;
const SETTLE_MS = 3_000;
const ARRIVAL_TIMEOUT_MS = 60_000;
const ARRIVAL_POLL_MS = 250;
const STORES = 20;

async function order<Report extends ViewersReport>(child: ChildProcess, sent: ViewersOrder): Promise<Report> {
  const answered = once(child, 'message');
  child.send(sent);
  const [report] = (await answered) as [Report];
  return report;
}

/** Requests pages first, so that code is compiled and pools are full before memory is compared. */
async function warmUp(api: ServerProcess, transIds: readonly string[]): Promise<void> {
  for (let index = 0; index < WARM_UP_PAGES; index += 1) {
    const headers = { 'x-forwarded-for': `10.1.0.${index % 200}` };
    await (await fetch(`${api.url}/bill/${transIds[index % transIds.length]}`, { headers })).arrayBuffer();
  }
}

/** Changes an invoice as the engine does: the row and its entry in the feed, in one transaction. */
async function change(client: pg.Client, transId: string, marker: string): Promise<void> {
  await client.query(
    `with changed as (update invoices set description = $2 where trans_id = $1 returning id)
     insert into invoice_changes (invoice_id) select id from changed`,
    [transId, marker],
  );
}

async function changeEvenly(url: string, transIds: readonly string[]): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sentAtMs = new Map<string, number>();
  const startMs = systemClock.nowMs();
  for (let index = 0; index < CHANGES_PER_SECOND * SECONDS; index += 1) {
    const dueMs = startMs + (index * 1_000) / CHANGES_PER_SECOND;
    const aheadMs = dueMs - systemClock.nowMs();
    if (aheadMs > 0) await wait(aheadMs);
    const marker = `m${index}`;
    sentAtMs.set(marker, systemClock.nowMs());
    await change(client, transIds[(index * 7_919) % transIds.length] ?? '', marker);
  }
  await client.end();
  return sentAtMs;
}

/** When each change was first seen, after all have been seen or the time is over. */
async function readArrivals(viewers: ChildProcess, count: number): Promise<Map<string, number>> {
  const untilMs = systemClock.nowMs() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const { arrivals } = await order<{ arrivals: [string, number][] }>(viewers, { report: true });
    const first = new Map(arrivals.toReversed());
    if (first.size >= count || systemClock.nowMs() > untilMs) return first;
    await wait(ARRIVAL_POLL_MS);
  }
}

async function measureStreams(url: string, api: ServerProcess, transIds: readonly string[]) {
  const viewers = fork(fileURLToPath(new URL('viewers.ts', import.meta.url)), { execArgv: ['--no-warnings'] });
  try {
    const { hostname, port } = new URL(api.url);
    await warmUp(api, transIds);
    await wait(SETTLE_MS);
    const before = residentBytes(api.child.pid ?? 0);
    const { opened } = await order<{ opened: number }>(viewers, {
      open: { host: hostname, port: Number(port), transIds: [...transIds] },
    });
    await wait(SETTLE_MS);
    const bytesPerViewer = Math.round((residentBytes(api.child.pid ?? 0) - before) / opened);
    console.log(`${opened} viewers, ${bytesPerViewer} bytes of memory for each`);
    const sentAtMs = await changeEvenly(url, transIds);
    const first = await readArrivals(viewers, sentAtMs.size);
    const latencies = [...sentAtMs]
      .flatMap(([marker, sentMs]) => (first.has(marker) ? [(first.get(marker) ?? 0) - sentMs] : []))
      .toSorted((left, right) => left - right);
    const missing = sentAtMs.size - latencies.length;
    console.log(`${sentAtMs.size} changes at ${CHANGES_PER_SECOND} a second, ${missing} not seen by their viewer`);
    return {
      viewers: opened,
      sse_bytes_per_viewer: bytesPerViewer,
      sse_p50_ms: percentile(latencies, 0.5),
      sse_p99_ms: percentile(latencies, 0.99),
      sse_worst_ms: latencies.at(-1),
      missing,
    };
  } finally {
    viewers.kill('SIGKILL');
  }
}

await withDrillDatabase(async ({ url, database }) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await seedStores(client, STORES);
  await seedInvoices(client, STORES, 0, VIEWERS);
  await client.end();
  await followNetwork(database, 'BSC');
  await setPrices(database);
  const { rows } = await database.pool.query<{ trans_id: string }>('select trans_id from invoices order by id');
  const transIds = rows.map((row) => row.trans_id);
  const api = await startApi(url, { COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1', COUNTERFOIL_LOG_LEVEL: 'warn' });
  try {
    const streams = await measureStreams(url, api, transIds);
    await setPrices(database);
    await followNetwork(database, 'BSC');
    const page = `${api.url}/bill/${transIds[0]}`;
    await fetch(`${page}/select`, { method: 'POST', body: new URLSearchParams({ network: 'BSC', token: 'USDT' }) });
    const measured = await measurePage(page, { quick });
    console.log(JSON.stringify({ ...streams, ...measured }));
    if (streams.missing > 0) process.exitCode = 1;
  } finally {
    await api.stop();
  }
});
