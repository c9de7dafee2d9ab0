import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { genesisSettings } from '../chains/genesis.ts';
import { roleUrl } from '../database/role-database.ts';
import { NODE_FLAGS } from './node-flags.ts';
import { hangLimitMs } from './hang-limit.ts';
import { inheritedEnvironment } from './inherited-environment.ts';
import type { Program } from './server-bundle.ts';
import { programPath } from './server-bundle.ts';

/** Real API and worker processes, started in their roles. */

export type WorkerProcess = {
  operationsUrl: string;
  /** Everything that the process has written to standard output and standard error. */
  output(): string;
  child: ChildProcess;
  /** Ends the process in order, and waits until all that it wrote was read. */
  stop(): Promise<number | null>;
};

export type ServerProcess = WorkerProcess & { url: string };

const START_TIMEOUT_MS = 300_000;
/** Neither a start nor a request may fail only because the machine is busy. */
export const PATIENT = { COUNTERFOIL_DATABASE_WAIT_SECONDS: '60' };
/** No load balancer checks these servers, so they need not drain. */
const UNDRAINED = { COUNTERFOIL_DRAIN_SECONDS: '0' };

function collect(stream: Readable | null, into: { text: string }): void {
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    into.text += chunk;
  });
}

type Listening = { address?: string; operationsAddress: string };

/** The user of a process; by default that of the rig. */
export type ProcessUser = { uid: number; gid: number };

/**
 * Starts a real process in development, with these settings alone, and waits until it listens. `source` is the source
 * folder of another version, which is started instead of this one.
 */
export async function startProcess(
  program: Program,
  settings: Record<string, string>,
  { user, source }: { user?: ProcessUser | undefined; source?: string | undefined } = {},
): Promise<WorkerProcess & { url?: string }> {
  const path = source === undefined ? await programPath(program) : join(source, `${program}.ts`);
  const child = spawn(process.execPath, ['--no-warnings', ...NODE_FLAGS, path], {
    env: {
      ...inheritedEnvironment(),
      COUNTERFOIL_ENVIRONMENT: 'development',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...user,
  });
  const output = { text: '' };
  collect(child.stdout, output);
  collect(child.stderr, output);
  const { address, operationsAddress } = await waitUntilListening(child, output);
  return {
    ...(address !== undefined && { url: address }),
    operationsUrl: operationsAddress,
    output: () => output.text,
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      // A process ends before all that it has written was read.
      const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
      const open = streams.filter(({ readableEnded }) => !readableEnded);
      const ended = Promise.all([once(child, 'exit'), ...open.map((stream) => once(stream, 'end'))]);
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

/** Starts a real API process in its role on free ports, and waits until it listens. */
export async function startApi(
  databaseUrl: string,
  settings: Record<string, string> = {},
  source?: string,
): Promise<ServerProcess> {
  const own = {
    COUNTERFOIL_DATABASE_URL: roleUrl(databaseUrl, 'api'),
    ...PATIENT,
    ...UNDRAINED,
    COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example',
    COUNTERFOIL_PORT: '0',
    COUNTERFOIL_OPERATIONS_PORT: '0',
    // Webhooks to private IP addresses are allowed, because the receivers of suites and drills run on this machine.
    ...(settings['COUNTERFOIL_ENVIRONMENT'] !== 'production' && { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' }),
    ...settings,
  };
  const { url, ...started } = await startProcess('main-api', own, { source });
  if (url === undefined) throw new Error('The API does not say where it listens.');
  return { ...started, url };
}

/** Starts a real process of the dashboard's server in its roles on free ports, and waits until it listens. */
export async function startDashboard(
  databaseUrl: string,
  settings: Record<string, string> & { COUNTERFOIL_KEY_RING_FILE: string },
  source?: string,
): Promise<ServerProcess> {
  const own = {
    COUNTERFOIL_DATABASE_URL: roleUrl(databaseUrl, 'dashboard'),
    COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(databaseUrl, 'views'),
    ...PATIENT,
    ...UNDRAINED,
    COUNTERFOIL_DASHBOARD_URL: 'http://localhost:3003',
    COUNTERFOIL_DASHBOARD_PORT: '0',
    COUNTERFOIL_DASHBOARD_OPERATIONS_PORT: '0',
    ...settings,
  };
  const { url, ...started } = await startProcess('main-dashboard', own, { source });
  if (url === undefined) throw new Error("The dashboard's server does not say where it listens.");
  return { ...started, url };
}

const stateFolders = new Map<string, string>();

/** The state folder of the workers of a database, which is removed when this process exits. */
function stateFolderOf(databaseUrl: string): string {
  const known = stateFolders.get(databaseUrl);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-state-'));
  if (stateFolders.size === 0)
    process.once('exit', () => {
      for (const made of stateFolders.values()) rmSync(made, { recursive: true, force: true });
    });
  stateFolders.set(databaseUrl, folder);
  return folder;
}

/** Starts a real worker process in its role with the genesis hashes of local chains, and waits until it works. */
export async function startWorker(
  databaseUrl: string,
  settings: Record<string, string> = {},
  source?: string,
): Promise<WorkerProcess> {
  const own = {
    COUNTERFOIL_DATABASE_URL: roleUrl(databaseUrl, 'worker'),
    ...PATIENT,
    COUNTERFOIL_WORKER_OPERATIONS_PORT: '0',
    COUNTERFOIL_STATE_DIR: stateFolderOf(databaseUrl),
    ...(await genesisSettings(settings)),
  };
  return startProcess('main-worker', own, { source });
}

async function waitUntilListening(child: ChildProcess, output: { text: string }): Promise<Listening> {
  const signal = AbortSignal.timeout(hangLimitMs(START_TIMEOUT_MS));
  const ended = once(child, 'exit', { signal }).then(() => undefined);
  const message = once(child, 'message', { signal }).then(([sent]) => sent as Listening);
  const first = await Promise.race([message, ended]).catch(() => undefined);
  if (!first) {
    child.kill('SIGKILL');
    throw new Error(`The process does not start (exit code ${child.exitCode}):\n${output.text}`);
  }
  child.disconnect();
  return first;
}
