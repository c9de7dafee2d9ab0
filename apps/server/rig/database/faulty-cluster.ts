import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { waitUntil } from '../processes/wait-until.ts';

/**
 * A PostgreSQL server that is meant to fail: a supervisor starts it again whenever it ends, and its data is on a disk of
 * its own, a file system in memory that only the server's mount namespace has.
 */

export type FaultyCluster = {
  url: string;
  /** Ends the server by a fast shutdown. */
  shutDown(): Promise<void>;
  /** Kills the postmaster as by `kill -9`. */
  kill(): Promise<void>;
  /** Stops every process of the server, while connections stay open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Fills the disk; what the server frees meanwhile is filled by the next call. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Everything that the server has logged since its start. */
  readLog(): Promise<string>;
  stop(): Promise<void>;
};

type FaultyClusterOptions = { megabytes: number; connections: number };

const ADMINISTRATOR = 'postgres';
const RESTART_MS = 1_000;
const POLL_MS = 50;
const CONNECT_MS = 2_000;
const CHUNK = Buffer.alloc(1_048_576);
const isRoot = process.getuid?.() === 0;
const COMMAND = fileURLToPath(new URL('../../../../bin/postgres', import.meta.url));
const run = promisify(execFile);

/**
 * Keeps the namespace while the server is down. When the standard input closes because whoever started it is gone, the
 * server ends too.
 */
const HOLDER = `
set -eu
mount -t tmpfs -o size="$2"m,mode=755 none "$1"
mkdir "$1/data"
if [ -n "$3" ]; then chown "$3" "$1/data"; fi
echo mounted
read -r _ || true
if [ -f "$1/data/postmaster.pid" ]; then kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")" || true; fi
`;

/** Small log segments: a full disk also fails the log, which ends the server. */
const INITIALISE = ['--no-sync', '--wal-segsize=1', '--auth=trust', '--encoding=UTF8', '--locale=C'];

type Place = { folder: string; disk: string; data: string; binaries: string; holder: ChildProcess; port: number };

/** Words that run a command in the namespace, as the server's user. */
function inside({ holder }: Pick<Place, 'holder'>): [string, ...string[]] {
  const namespace = isRoot ? ['--mount'] : ['--user', '--mount', '--preserve-credentials'];
  const user = isRoot ? ['setpriv', `--reuid=${ADMINISTRATOR}`, `--regid=${ADMINISTRATOR}`, '--init-groups'] : [];
  return ['nsenter', `--target=${holder.pid}`, ...namespace, '--', ...user];
}

async function makePlace({ megabytes }: FaultyClusterOptions): Promise<Place> {
  const binaries = (await run(COMMAND, ['bin'])).stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-faulty-'));
  await chmod(folder, 0o755);
  const disk = join(folder, 'disk');
  await mkdir(disk);
  const namespace = isRoot ? ['--mount'] : ['--mount', '--user', '--map-current-user'];
  const words = [disk, String(megabytes), isRoot ? ADMINISTRATOR : ''];
  const holder = spawn('unshare', [...namespace, 'sh', '-c', HOLDER, 'sh', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit').then(() => {
    throw new Error('The disk could not be mounted.');
  });
  ended.catch(() => {});
  await Promise.race([once(holder.stdout, 'data'), ended]);
  const place = { folder, disk, data: join(disk, 'data'), binaries, holder, port: await freePort() };
  const [program, ...before] = inside(place);
  await run(program, [...before, join(binaries, 'initdb'), '-D', place.data, '-U', ADMINISTRATOR, ...INITIALISE], {
    cwd: '/',
  });
  return place;
}

function spawnServer(place: Place, { connections }: FaultyClusterOptions, log: number): ChildProcess {
  const settings = {
    port: place.port,
    listen_addresses: LOOPBACK,
    unix_socket_directories: place.data,
    max_connections: connections,
    shared_buffers: '64MB',
    min_wal_size: '2MB',
    max_wal_size: '32MB',
    checkpoint_timeout: '30s',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [program, ...before] = inside(place);
  return spawn(program, [...before, join(place.binaries, 'postgres'), '-D', place.data, ...words], {
    cwd: '/',
    stdio: ['ignore', log, log],
  });
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, after = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ');
      return Number(after.split(' ')[1]) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause;
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (let size = CHUNK.length; size > 0;) {
      const { bytesWritten } = await file.write(CHUNK, 0, size);
      if (bytesWritten === 0) return;
      size = bytesWritten;
    }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause;
  } finally {
    await file.close();
  }
}

export async function startFaultyCluster(options: FaultyClusterOptions): Promise<FaultyCluster> {
  const place = await makePlace(options);
  const logPath = join(place.folder, 'server.log');
  const log = await open(logPath, 'a');
  const stopping = new AbortController();
  let server: ChildProcess = spawnServer(place, options, log.fd);
  const supervising = (async () => {
    for (;;) {
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      if (stopping.signal.aborted) return;
      await wait(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      server = spawnServer(place, options, log.fd);
    }
  })();
  const end = async (name: NodeJS.Signals) => {
    const ending = server;
    const ended = once(ending, 'exit');
    ending.kill(name);
    await ended;
  };
  let frozen: number[] = [];
  const filling = join(`/proc/${place.holder.pid}/root${place.disk}`, 'filling');
  const url = `postgresql://${ADMINISTRATOR}@${LOOPBACK}:${place.port}/postgres`;
  const stop = async () => {
    stopping.abort();
    if (server.exitCode === null && server.signalCode === null) await end('SIGQUIT');
    await supervising;
    place.holder.stdin?.end();
    if (place.holder.exitCode === null) await once(place.holder, 'exit');
    await log.close();
    await rm(place.folder, { recursive: true });
  };
  try {
    await waitUntil(() => canConnect(url), { what: 'PostgreSQL does not start.', pollMs: POLL_MS });
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    url,
    shutDown: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    freeze: () => {
      const processId = server.pid ?? 0;
      signal(processId, 'SIGSTOP');
      frozen = [processId, ...childrenOf(processId)];
      for (const one of frozen) signal(one, 'SIGSTOP');
    },
    thaw: () => {
      for (const one of frozen.toReversed()) signal(one, 'SIGCONT');
    },
    fill: () => fillDisk(filling),
    free: () => rm(filling, { force: true }),
    readLog: () => readFile(logPath, 'utf8'),
    stop,
  };
}
