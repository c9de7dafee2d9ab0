import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { childrenOf } from '../processes/process-usage.ts';
import { waitUntil } from '../processes/wait-until.ts';
import { idOf } from './password-cluster.ts';
import { mountSmallDisk } from './small-disk.ts';

/** A PostgreSQL server that is meant to fail, with its data on a small disk of its own and an archive for its log. */

export type FailingCluster = {
  url: string;
  /** Ends the server by a fast shutdown. */
  shutDown(): Promise<void>;
  /** Starts a server that was shut down and is not supervised. */
  start(): Promise<void>;
  /** Kills the postmaster as by `kill -9`. */
  kill(): Promise<void>;
  /** Stops every process of the server, while connections stay open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Fills the disk. If the server frees space later, it stays free until this is called again. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Takes the folder away into which `archive_mode` archives the log. */
  loseArchive(): Promise<void>;
  restoreArchive(): Promise<void>;
  /** Everything that the server has logged since its first start. */
  readLog(): Promise<string>;
  /** Ends the server and removes all of it. */
  stop(): Promise<void>;
};

type FailingClusterOptions = {
  megabytes: number;
  settings?: Readonly<Record<string, string>>;
  /** Size of the log's segments. */
  segmentMegabytes?: number;
  /** Whether the server is started again whenever it ends. */
  supervised?: boolean;
};

const ADMINISTRATOR = 'postgres';
const SEGMENT_MEGABYTES = 16;
const RESTART_MS = 1_000;
const POLL_MS = 50;
const CONNECT_MS = 2_000;
const isRoot = process.getuid?.() === 0;
const COMMAND = fileURLToPath(new URL('../../../../bin/postgres', import.meta.url));
const run = promisify(execFile);

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

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

async function makeArchive(archive: string): Promise<void> {
  await mkdir(archive);
  if (isRoot) await chown(archive, await idOf('-u'), await idOf('-g'));
}

type Server = { end(name: NodeJS.Signals): Promise<void>; start(): void; processId(): number; close(): Promise<void> };

/** Runs the server's process, and starts it again whenever it ends if it is supervised. */
function superviseServer(spawnServer: () => ChildProcess, supervised: boolean): Server {
  const stopping = new AbortController();
  let server = spawnServer();
  const start = () => {
    server = spawnServer();
  };
  const supervise = async () => {
    for (;;) {
      if (!hasEnded(server)) await once(server, 'exit');
      if (stopping.signal.aborted) return;
      await wait(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      start();
    }
  };
  const supervising = supervised ? supervise() : undefined;
  const end = async (name: NodeJS.Signals) => {
    if (hasEnded(server)) return;
    const ended = once(server, 'exit');
    server.kill(name);
    await ended;
  };
  return {
    end,
    start,
    processId: () => server.pid ?? 0,
    close: async () => {
      stopping.abort();
      await end('SIGQUIT');
      await supervising;
    },
  };
}

async function makePlace({ megabytes, settings, segmentMegabytes = SEGMENT_MEGABYTES }: FailingClusterOptions) {
  const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'] ?? (await run(COMMAND, ['bin'])).stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-failing-'));
  await chmod(folder, 0o755);
  const archive = join(folder, 'archive');
  await makeArchive(archive);
  const disk = await mountSmallDisk(folder, megabytes);
  const words = ['-D', disk.data, '-U', ADMINISTRATOR, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await disk.run(join(binaries, 'initdb'), ['--no-sync', `--wal-segsize=${segmentMegabytes}`, ...words]);
  const port = await freePort();
  const all = {
    archive_command: `cp %p ${archive}/%f`,
    ...settings,
    port,
    listen_addresses: LOOPBACK,
    unix_socket_directories: disk.data,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [...disk.inside, join(binaries, 'postgres'), '-D', disk.data, ...options] as const;
  const url = `postgresql://${ADMINISTRATOR}@${LOOPBACK}:${port}/postgres`;
  return { folder, archive, disk, command, url };
}

export async function startFailingCluster(options: FailingClusterOptions): Promise<FailingCluster> {
  const { folder, archive, disk, command, url } = await makePlace(options);
  const logPath = join(folder, 'server.log');
  const log = await open(logPath, 'a');
  const [program, ...words] = command;
  const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd];
  const server = superviseServer(() => spawn(program, words, { cwd: '/', stdio }), options.supervised ?? false);
  const untilStarted = () => waitUntil(() => canConnect(url), { what: 'PostgreSQL does not start.', pollMs: POLL_MS });
  const stop = async () => {
    await server.close();
    await disk.close();
    await log.close();
    await rm(folder, { recursive: true });
  };
  try {
    await untilStarted();
  } catch (cause) {
    await stop();
    throw cause;
  }
  let frozen: number[] = [];
  return {
    url,
    shutDown: () => server.end('SIGINT'),
    start: async () => {
      server.start();
      await untilStarted();
    },
    kill: () => server.end('SIGKILL'),
    freeze: () => {
      const processId = server.processId();
      signal(processId, 'SIGSTOP');
      frozen = [processId, ...childrenOf(processId)];
      for (const one of frozen) signal(one, 'SIGSTOP');
    },
    thaw: () => {
      for (const one of frozen.toReversed()) signal(one, 'SIGCONT');
    },
    fill: () => disk.fill(),
    free: () => disk.free(),
    loseArchive: () => rm(archive, { recursive: true }),
    restoreArchive: () => makeArchive(archive),
    readLog: () => readFile(logPath, 'utf8'),
    stop,
  };
}
