import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { freePort } from '../rig/fakes/listen.ts';
import { inheritedEnvironment } from '../rig/processes/inherited-environment.ts';
import { waitUntil } from '../rig/processes/wait-until.ts';
import { systemClock } from '../src/lib/clock.ts';
import { ALPHANUMERIC, randomText } from '../src/lib/random.ts';
import { DEV_NETWORK, DEV_TOKEN } from './dev-chain.ts';

/**
 * Starts a `pnpm dev` of its own and follows docs/start.md: opens a store, creates an invoice and pays it. Then changes a
 * file, waits for the restart and for the completed invoice, presses Ctrl-C, and looks for processes that are left.
 */

const ROOT = join(import.meta.dirname, '../../..');
const MAX_WAIT_MS = 120_000;
const LOOK_MS = 100;
const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';

const run = promisify(execFile);
type Fields = Record<string, unknown>;

const until = (what: string, holds: () => Promise<boolean> | boolean) =>
  waitUntil(holds, { what: `Waited in vain: ${what}.`, timeoutMs: MAX_WAIT_MS, pollMs: LOOK_MS });

async function readSettings(database: string): Promise<Record<string, string>> {
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const [api = '', operations = '', worker = '', chain = ''] = ports.map(String);
  return {
    ...inheritedEnvironment(),
    COUNTERFOIL_LOCAL_POSTGRES_PORT: process.env['COUNTERFOIL_LOCAL_POSTGRES_PORT'] ?? '',
    COUNTERFOIL_LOCAL_POSTGRES_VOLATILE: process.env['COUNTERFOIL_LOCAL_POSTGRES_VOLATILE'] ?? '',
    COUNTERFOIL_LOCAL_DATABASE: database,
    COUNTERFOIL_PORT: api,
    COUNTERFOIL_CHECKOUT_URL: `http://127.0.0.1:${api}`,
    COUNTERFOIL_OPERATIONS_PORT: operations,
    COUNTERFOIL_WORKER_OPERATIONS_PORT: worker,
    COUNTERFOIL_DEV_CHAIN_PORT: chain,
  };
}

/** A process and all its descendants. */
async function descendantsOf(ancestor: number): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const id of ids) {
    const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    // The program's name, in brackets, may contain anything.
    parents.set(id, Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2]));
  }
  const found = new Set([ancestor]);
  // Iterating over a Set includes elements that are added on the way.
  for (const parent of found) for (const [id, of] of parents) if (of === parent) found.add(id);
  return [...found];
}

async function isAlive(id: number): Promise<boolean> {
  const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}

type Site = { settings: Record<string, string>; dev: ChildProcess; output: () => string };

async function openStore({ settings }: Site): Promise<{ merchantId: string; apiKey: string }> {
  const admin = async (...words: string[]) => {
    const { stdout } = await run('bin/counterfoil-admin', [...words, '--json'], { cwd: ROOT, env: settings });
    return JSON.parse(stdout) as Fields;
  };
  await admin('merchant', 'create', '--name', 'Acme');
  const store = await admin('store', 'create', '--merchant', '1', '--name', 'Acme Shop', '--plan', 'standard');
  const merchantId = String(store['merchant_id']);
  await admin('wallet', 'add', '--store', merchantId, '--network', 'BSC', '--address', ADDRESS);
  await admin('balance', 'credit', '--store', merchantId, '--usd', '25', '--note', 'first top-up');
  return { merchantId, apiKey: String(store['api_key']) };
}

const countStarts = ({ output }: Site) => output().split('"listening"').length - 1;

async function changeFile(site: Site): Promise<void> {
  const now = new Date(systemClock.nowMs());
  await utimes(join(ROOT, 'apps/server/src/main-api.ts'), now, now);
  await until('the API starts again', () => countStarts(site) === 2);
}

/** Creates an invoice and pays it; the API is restarted while the payment waits to settle. */
async function buy(site: Site): Promise<void> {
  const { settings } = site;
  const url = settings['COUNTERFOIL_CHECKOUT_URL'] ?? '';
  const { merchantId, apiKey } = await openStore(site);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = (await (await fetch(`${url}${path}`, { ...init, headers })).json()) as { data: Fields };
    return answer.data;
  };
  const body = JSON.stringify({ merchant_id: merchantId, amount: '50.00', request_id: 'order-1001' });
  const created = await call('/payment/crypto', { method: 'POST', body });
  const transId = String(created['trans_id']);
  await until('prices and the chain are known', async () => {
    const { methods } = (await (await fetch(`${url}/bill/${transId}/state`)).json()) as CheckoutView;
    const method = methods.find(({ network, token }) => network === DEV_NETWORK && token === DEV_TOKEN);
    return method?.state === 'ready' && method.refusal === null;
  });
  await run('pnpm', ['--silent', 'dev:pay', transId], { cwd: ROOT, env: settings });
  await changeFile(site);
  await until('the invoice is completed', async () => {
    // A changed file may restart the API twice, with no answers in between.
    const invoice = await call(`/invoice/${transId}`).catch(() => undefined);
    return invoice?.['status'] === 'completed';
  });
}

async function startDev(database: string): Promise<Site> {
  const settings = await readSettings(database);
  // A separate process group, as a terminal gives it.
  const dev = spawn(join(ROOT, 'bin/dev'), {
    cwd: ROOT,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return { settings, dev, output: () => text };
}

/** Presses Ctrl-C; answers the processes that are left. */
async function interrupt({ dev }: Site): Promise<number[]> {
  if (dev.pid === undefined) return [];
  const started = await descendantsOf(dev.pid);
  process.kill(-dev.pid, 'SIGINT');
  if (dev.exitCode === null && dev.signalCode === null) await once(dev, 'exit');
  const left: number[] = [];
  for (const id of started) if (await isAlive(id)) left.push(id);
  return left;
}

async function dropDatabase({ settings }: Site, database: string): Promise<void> {
  const [url, bin] = await Promise.all(
    ['url', 'bin'].map(async (word) => (await run('bin/postgres', [word], { cwd: ROOT, env: settings })).stdout.trim()),
  );
  await run(`${bin ?? ''}/psql`, ['-q', url ?? '', '-c', `drop database if exists ${database}`]);
}

const startedAt = systemClock.nowMs();
const database = `counterfoil_dev_check_${randomText(ALPHANUMERIC, 8).toLowerCase()}`;
const site = await startDev(database);
let left: number[] = [];
try {
  await until('the API starts', () => countStarts(site) === 1);
  await buy(site);
} catch (cause) {
  console.error(site.output());
  throw cause;
} finally {
  left = await interrupt(site);
  await dropDatabase(site, database);
}
const seconds = Math.round((systemClock.nowMs() - startedAt) / 100) / 10;
console.log(JSON.stringify({ completed: true, restarted: true, left: left.length, seconds }));
if (left.length > 0) process.exitCode = 1;
