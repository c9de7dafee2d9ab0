import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { endGuarded, guardProcess, letGo } from './guard-process.ts';
import { holdsInTime, waitUntil } from './wait-until.ts';
import { inheritedEnvironment } from './inherited-environment.ts';

/**
 * Real Caddy with the file of installations (`deploy/Caddyfile`), its own authority's certificates and free ports. The
 * host names resolve nowhere: clients must send them to loopback.
 */

export const TLS_HOSTS = {
  api: 'api.counterfoil.test',
  checkout: 'pay.counterfoil.test',
  dashboard: 'dashboard.counterfoil.test',
};

export type CaddyOptions = {
  /** Where main-api and main-dashboard listen, as `host:port`; they need not listen yet. */
  api: string;
  dashboard: string;
  /** Ports to listen on; free ones unless given. */
  httpPort?: number;
  httpsPort?: number;
};

export type Caddy = {
  apiUrl: string;
  checkoutUrl: string;
  dashboardUrl: string;
  httpPort: number;
  httpsPort: number;
  /** Certificate of the authority that signed those of the three hosts, in PEM. */
  rootCertificate: string;
  /** Waits until Caddy's health checks, one a second, have found a process for each of these hosts. */
  untilReached(hosts?: readonly (keyof typeof TLS_HOSTS)[]): Promise<void>;
  /** Everything that Caddy has logged. */
  output(): string;
  stop(): Promise<void>;
};

const FILE = join(import.meta.dirname, '../../../../deploy/Caddyfile');
const BINARY = process.env['COUNTERFOIL_CADDY'] ?? '/usr/bin/caddy';
const START_TIMEOUT_MS = 120_000;
const LOOK_TIMEOUT_MS = 2_000;
const POLL_MS = 50;

/** Whether a host is served with a certificate of this authority. */
async function isServed(port: number, servername: string, ca: string): Promise<boolean> {
  const socket = connect({ host: LOOPBACK, port, servername, ca, timeout: LOOK_TIMEOUT_MS });
  socket.once('timeout', () => socket.destroy(new Error('late')));
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Whether a process answers at a host. */
function isReached(port: number, servername: string, ca: string): Promise<boolean> {
  const asked = { host: LOOPBACK, port, servername, ca, agent: false, path: '/livez', headers: { host: servername } };
  return new Promise((resolve) => {
    request(asked, (response) => {
      response.resume().once('close', () => resolve(response.statusCode === 200));
    })
      .once('error', () => resolve(false))
      .end();
  });
}

function environmentOf(options: CaddyOptions, ports: { http: number; https: number }, folder: string) {
  return {
    ...inheritedEnvironment(),
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    COUNTERFOIL_API_HOST: TLS_HOSTS.api,
    COUNTERFOIL_CHECKOUT_HOST: TLS_HOSTS.checkout,
    COUNTERFOIL_DASHBOARD_HOST: TLS_HOSTS.dashboard,
    COUNTERFOIL_API_UPSTREAM: options.api,
    COUNTERFOIL_DASHBOARD_UPSTREAM: options.dashboard,
    COUNTERFOIL_CERTIFICATES: 'internal',
    COUNTERFOIL_HTTP_PORT: String(ports.http),
    COUNTERFOIL_HTTPS_PORT: String(ports.https),
    COUNTERFOIL_CADDY_STORAGE: folder,
  };
}

export async function startCaddy(options: CaddyOptions): Promise<Caddy> {
  if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing: install Debian's package caddy.`);
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-caddy-'));
  const ports = { http: options.httpPort ?? (await freePort()), https: options.httpsPort ?? (await freePort()) };
  const child = spawn(BINARY, ['run', '--config', FILE, '--adapter', 'caddyfile'], {
    env: environmentOf(options, ports, folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const processId = child.pid;
  if (processId === undefined) throw new Error('Caddy cannot be started.', { cause: (await once(child, 'error'))[0] });
  const watcher = guardProcess(child, processId, folder);
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const rootPath = join(folder, 'pki/authorities/local/root.crt');
  const serves = async () => {
    if (child.exitCode !== null) throw new Error(`Caddy has ended (exit code ${child.exitCode}):\n${output}`);
    if (!existsSync(rootPath)) return false;
    const root = readFileSync(rootPath, 'utf8');
    const served = await Promise.all(Object.values(TLS_HOSTS).map((host) => isServed(ports.https, host, root)));
    return served.every(Boolean);
  };
  const limits = { timeoutMs: START_TIMEOUT_MS, pause: () => wait(POLL_MS) };
  const started = await holdsInTime(serves, limits).catch(async (cause: unknown) => {
    await endGuarded(child, watcher);
    throw cause;
  });
  if (!started) {
    await endGuarded(child, watcher);
    throw new Error(`Caddy does not serve all hosts:\n${output}`);
  }
  letGo(child);
  const urlOf = (host: string) => `https://${host}:${ports.https}`;
  const rootCertificate = readFileSync(rootPath, 'utf8');
  const untilReached: Caddy['untilReached'] = async (hosts = ['api', 'checkout', 'dashboard']) => {
    for (const host of hosts) {
      const isThere = () => isReached(ports.https, TLS_HOSTS[host], rootCertificate);
      await waitUntil(isThere, { what: `No process answers at the host of ${host}.`, pollMs: POLL_MS });
    }
  };
  return {
    apiUrl: urlOf(TLS_HOSTS.api),
    checkoutUrl: urlOf(TLS_HOSTS.checkout),
    dashboardUrl: urlOf(TLS_HOSTS.dashboard),
    httpPort: ports.http,
    httpsPort: ports.https,
    rootCertificate,
    untilReached,
    output: () => output,
    stop: () => endGuarded(child, watcher),
  };
}
