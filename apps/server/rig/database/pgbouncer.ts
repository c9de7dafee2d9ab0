import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { OWNER, PROCESS_ROLES, roleName } from '../../src/db/role.ts';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { endGuarded, guardProcess, letGo } from '../processes/guard-process.ts';
import { holdsInTime } from '../processes/wait-until.ts';

/** Real PgBouncer before a database, with the lines that docs/operations/install.md gives. */

type PoolMode = 'session' | 'transaction' | 'statement';

/** How sessions are shared, and further lines of its configuration. */
export type Pooling = { mode: PoolMode; further?: string };

export type PgBouncer = {
  /** The URL of the same database through the pooler. */
  url: string;
  port: number;
  stop(): Promise<void>;
};

const BINARY = '/usr/sbin/pgbouncer';
/** PgBouncer does not run as root. */
const UNPRIVILEGED = 'postgres';
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 20;
const READABLE = 0o755;

function configurationOf(databaseUrl: string, { mode, further = '' }: Pooling, port: number, folder: string): string {
  const { hostname, port: serverPort, pathname } = new URL(databaseUrl);
  return `[databases]
* = host=${hostname} port=${serverPort} dbname=${pathname.slice(1)}
[pgbouncer]
listen_addr = ${LOOPBACK}
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = 50
max_client_conn = 200
server_login_retry = 1
${further}
`;
}

/** Starts PgBouncer before the server of a database; on a port of its own unless one is given. */
export async function startPgBouncer(databaseUrl: string, pooling: Pooling, givenPort?: number): Promise<PgBouncer> {
  if (!existsSync(BINARY)) throw new Error(`${BINARY} is missing: install Debian's package pgbouncer.`);
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-pgbouncer-'));
  chmodSync(folder, READABLE);
  const port = givenPort ?? (await freePort());
  const users = [OWNER, ...PROCESS_ROLES.map(roleName), new URL(databaseUrl).username];
  writeFileSync(join(folder, 'users.txt'), users.map((user) => `"${user}" ""\n`).join(''));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configurationOf(databaseUrl, pooling, port, folder));
  const isRoot = process.getuid?.() === 0;
  const child = spawn(BINARY, [...(isRoot ? ['-u', UNPRIVILEGED] : []), file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const processId = child.pid;
  if (processId === undefined) throw new Error('PgBouncer does not start.', { cause: (await once(child, 'error'))[0] });
  const watcher = guardProcess(child, processId, folder);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const address = new URL(databaseUrl);
  address.hostname = LOOPBACK;
  address.port = String(port);
  const answers = async () => {
    const client = new pg.Client({ connectionString: address.href });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end();
    return connected;
  };
  const limits = { timeoutMs: START_TIMEOUT_MS, pause: () => wait(POLL_MS) };
  if (!(await holdsInTime(answers, limits))) {
    await endGuarded(child, watcher);
    throw new Error(`PgBouncer does not answer:\n${output}`);
  }
  letGo(child);
  return { url: address.href, port, stop: () => endGuarded(child, watcher) };
}
