import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createTransId } from '../../src/invoices/invoice.ts';
import { LOOKUP_STATEMENT } from '../../src/invoices/invoice-sql.ts';
import { CREATE_STATEMENT } from '../../src/invoices/new-invoice-sql.ts';
import { hashApiKey } from '../../src/stores/api-key.ts';
import { ALPHANUMERIC, randomText } from '../../src/lib/random.ts';
import { ADMIT_STATEMENTS } from '../../src/stores/admission-sql.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { bareCreateScript, bareLookupScript, runBare } from './pgbench-baseline.ts';
import { measureBuffers } from '../../rig/database/measure-buffers.ts';
import type { SeededStore } from '../../rig/invoices/seed-invoices.ts';
import { seededTransId, seedInvoices, seedStores } from '../../rig/invoices/seed-invoices.ts';
import type { SelectionRuns } from './selections.ts';
import { bareSelectScript, createSelectionRuns, invoicesOfRuns } from './selections.ts';
import type { Load } from './wrk.ts';
import { runLoad } from './wrk.ts';
import { median } from '../../rig/report/percentile.ts';

/**
 * Measures create, lookup and selection through HTTP against the same statements run by pgbench, alternating in one
 * run.
 */

const quick = process.argv.includes('--quick');
const STORES = 10_000;
const FEW_ROWS = 1_000;
const MANY_ROWS = quick ? 100_000 : 1_000_000;
const ROUNDS = quick ? 1 : 3;
const SECONDS = quick ? 3 : 8;
const LOOKED_UP = 20_000;
const SEQUENTIAL = 100;
const API_CONNECTIONS = 8;

type Buffers = { create: number; lookup: number };

/** Buffers that one call touches: its admission and its own statement. */
async function measureCallBuffers(
  url: string,
  client: pg.Client,
  stores: readonly SeededStore[],
  invoices: number,
): Promise<Buffers> {
  const at = (index: number) => stores[Math.abs(index * 7919) % stores.length] as SeededStore;
  const admit = (run: number) => [[hashApiKey(at(run).apiKey)], ['192.0.2.1'], [1]];
  const now = new Date();
  const create = (run: number) => {
    const expiresAt = new Date(now.getTime() + 1_800_000);
    const period = `${now.toISOString().slice(0, 7)}-01`;
    const text = [`buffers-${invoices}-${run}`, '50', 'a title', null, 'https://shop.example/callback', null, null];
    return [at(run).id, createTransId('A'), ...text, now, expiresAt, 250_000, period].map((value) => [value]);
  };
  const transIds = await seededTransIds(client, FEW_ROWS, invoices);
  const lookup = (run: number) => {
    const one = transIds[Math.abs(run * 7919) % transIds.length];
    return [[one?.storeId], [one?.transId]];
  };
  return {
    create:
      (await measureBuffers(url, ADMIT_STATEMENTS.create, admit)) +
      (await measureBuffers(url, CREATE_STATEMENT, create)),
    lookup:
      (await measureBuffers(url, ADMIT_STATEMENTS.lookup, admit)) +
      (await measureBuffers(url, LOOKUP_STATEMENT, lookup)),
  };
}

async function seededTransIds(
  client: pg.Client,
  count: number,
  invoices: number,
): Promise<{ transId: string; storeId: number }[]> {
  const { rows } = await client.query<{ transId: string; n: number }>(
    `select n, ${seededTransId('n')} as "transId" from (select (g::bigint * ${invoices} / ${count})::integer as n from generate_series(0, ${count - 1}) g) s`,
  );
  return rows.map((row) => ({ transId: row.transId, storeId: 1 + (row.n % STORES) }));
}

/** Statements that one request sends to the database, as the server itself counts them. */
async function countRoundTrips(
  operationsUrl: string,
  request: () => Promise<Response>,
  requests = SEQUENTIAL,
): Promise<number> {
  const uses = async () => {
    const text = await (await fetch(`${operationsUrl}/metrics`)).text();
    return Number(/^counterfoil_database_statements_total (\d+)/m.exec(text)?.[1]);
  };
  const before = await uses();
  for (let sent = 0; sent < requests; sent += 1) {
    const response = await request();
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  // The first scrape asked whether the database answers.
  return ((await uses()) - before - 1) / requests;
}

type Compared = { bare: number; ours: number; ratio: number; loads: Load[] };

async function compare(name: string, bare: () => number, ours: () => Promise<Load>): Promise<Compared> {
  const bareRates: number[] = [];
  const loads: Load[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    bareRates.push(bare());
    const load = await ours();
    if (load.refused > 0) throw new Error(`${load.refused} requests of ${name} were refused.`);
    loads.push(load);
    const line = `${name} round ${round}: bare ${bareRates.at(-1)?.toFixed(0)}/s, ours ${load.perSecond.toFixed(0)}/s`;
    console.log(`${line}, p50 ${load.p50Ms.toFixed(1)} p90 ${load.p90Ms.toFixed(1)} p99 ${load.p99Ms.toFixed(1)} ms`);
  }
  const ratio = median(loads.map((load, round) => load.perSecond / (bareRates[round] ?? Number.NaN)));
  return { bare: median(bareRates), ours: median(loads.map((load) => load.perSecond)), ratio, loads };
}

function requireTool(name: string): void {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
  } catch {
    throw new Error(`${name} is needed: install it (Debian: apt-get install ${name}).`);
  }
}

type Seeded = { stores: SeededStore[]; storesFile: string; invoicesFile: string; transId: string };

/** Fills the database in two steps and measures the buffers of a call after each. */
async function seed(url: string, client: pg.Client, folder: string): Promise<Seeded & { few: Buffers; many: Buffers }> {
  const stores = await seedStores(client, STORES);
  const fill = async (from: number, to: number) => {
    await seedInvoices(client, STORES, from, to);
    const buffers = await measureCallBuffers(url, client, stores, to);
    console.log(
      `${to} invoices: create touches ${buffers.create.toFixed(1)} buffers, lookup ${buffers.lookup.toFixed(1)}`,
    );
    return buffers;
  };
  const few = await fill(0, FEW_ROWS);
  const many = await fill(FEW_ROWS, MANY_ROWS);
  const storesFile = join(folder, 'stores');
  writeFileSync(storesFile, stores.map((store) => `${store.merchantId} ${store.apiKey}\n`).join(''));
  const invoicesFile = join(folder, 'invoices');
  const sample = await seededTransIds(client, LOOKED_UP, MANY_ROWS);
  writeFileSync(invoicesFile, sample.map((one) => `${one.transId} ${stores[one.storeId - 1]?.apiKey}\n`).join(''));
  return { stores, storesFile, invoicesFile, transId: sample[0]?.transId ?? '', few, many };
}

async function countCallTrips(api: ServerProcess, seeded: Seeded): Promise<number> {
  const [first] = seeded.stores as [SeededStore];
  const headers = { 'content-type': 'application/json', 'x-api-key': first.apiKey };
  const body = JSON.stringify({ merchant_id: first.merchantId, amount: '50.00' });
  const create = () => fetch(`${api.url}/payment/crypto`, { method: 'POST', headers, body });
  const createTrips = await countRoundTrips(api.operationsUrl, create);
  const lookup = () => fetch(`${api.url}/invoice/${seeded.transId}`, { headers });
  const lookupTrips = await countRoundTrips(api.operationsUrl, lookup);
  console.log(`round trips: create ${createTrips}, lookup ${lookupTrips}`);
  return Math.max(createTrips, lookupTrips);
}

/**
 * Median statements of a selection. Requests are counted one by one, because some also read data that all pages share.
 */
async function countSelectTrips(api: ServerProcess, runs: SelectionRuns): Promise<number> {
  const { transIds } = await runs.prepare();
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ network: 'BSC', token: 'USDT' });
  const trips: number[] = [];
  for (const transId of transIds.slice(0, SEQUENTIAL)) {
    const url = `${api.url}/bill/${transId}/select`;
    trips.push(await countRoundTrips(api.operationsUrl, () => fetch(url, { method: 'POST', headers, body }), 1));
  }
  console.log(`round trips: select ${median(trips)}`);
  return median(trips);
}

async function benchSelections(
  api: ServerProcess,
  client: pg.Client,
  folder: string,
  bare: (script: string) => () => number,
): Promise<Record<string, number>> {
  const sample = await seededTransIds(client, invoicesOfRuns(ROUNDS + 2), MANY_ROWS);
  const runs = createSelectionRuns(
    client,
    folder,
    sample.map((one) => one.transId),
  );
  const load = async () => {
    const { file } = await runs.prepare();
    return runLoad({ url: api.url, script: 'select', file, prefix: '', seconds: SECONDS });
  };
  await load();
  const select = await compare('select', bare(bareSelectScript(STORES, MANY_ROWS)), load);
  return {
    select_ratio: select.ratio,
    select_per_s: Math.round(select.ours),
    select_round_trips: await countSelectTrips(api, runs),
  };
}

async function bench(
  url: string,
  client: pg.Client,
  folder: string,
  binaries: string,
): Promise<Record<string, number>> {
  const seeded = await seed(url, client, folder);
  const connections = String(API_CONNECTIONS);
  const api = await startApi(url, {
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_DATABASE_CONNECTIONS: connections,
    COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1',
  });
  try {
    const load = (script: 'create' | 'lookup', rate?: number) =>
      runLoad({
        url: api.url,
        script,
        file: script === 'create' ? seeded.storesFile : seeded.invoicesFile,
        prefix: `${script}-${randomText(ALPHANUMERIC, 8)}-`,
        seconds: SECONDS,
        ...(rate !== undefined && { rate }),
      });
    await load('create');
    const bare = (script: string) => () => runBare(binaries, url, script, SECONDS);
    const create = await compare('create', bare(bareCreateScript(STORES)), () => load('create'));
    const lookup = await compare('lookup', bare(bareLookupScript(STORES, MANY_ROWS)), () => load('lookup'));
    const calm = await load('create', create.ours / 2);
    const percentiles = `p50 ${calm.p50Ms} p90 ${calm.p90Ms} p99 ${calm.p99Ms} ms`;
    console.log(`create at half the peak rate: ${calm.perSecond.toFixed(0)}/s, ${percentiles}`);
    return {
      create_ratio: create.ratio,
      lookup_ratio: lookup.ratio,
      create_buffers_growth: seeded.many.create / seeded.few.create,
      lookup_buffers_growth: seeded.many.lookup / seeded.few.lookup,
      create_p99_ms: calm.p99Ms,
      create_per_s: Math.round(create.ours),
      lookup_per_s: Math.round(lookup.ours),
      round_trips: await countCallTrips(api, seeded),
      ...(await benchSelections(api, client, folder, bare)),
      rows: MANY_ROWS,
    };
  } finally {
    await api.stop();
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

requireTool('wrk');
const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'] ?? '/usr/bin';
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
try {
  const figures = await withDrillDatabase(({ url }) =>
    withClient(url, (client) => bench(url, client, folder, binaries)),
  );
  const rounded = Object.entries(figures).map(([key, value]) => [key, Number(value.toFixed(3))]);
  console.log(JSON.stringify(Object.fromEntries(rounded)));
} finally {
  rmSync(folder, { recursive: true });
}
