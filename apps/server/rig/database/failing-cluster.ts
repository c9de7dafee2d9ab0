import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../fakes/listen.ts';
import { idOf } from './password-cluster.ts';

/**
 * A PostgreSQL server for one drill that may fail in every way: it can be stopped, its disk (a small one in memory, in a
 * namespace of its own) can be filled, and it archives its log to a folder that can be taken away.
 */

export type FailingCluster = {
  url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Writes to the disk until nothing more fits on it. */
  fill(): Promise<void>;
  /** Removes what `fill` has written. */
  empty(): Promise<void>;
  /** Takes the folder away into which the log is archived. */
  loseArchive(): Promise<void>;
  restoreArchive(): Promise<void>;
  /** Ends the server and removes all of it. */
  end(): Promise<void>;
};

const HOST = '127.0.0.1';
const ADMINISTRATOR = 'postgres';
const MEGABYTES = 768;
const CHUNK = Buffer.alloc(1_048_576);
const READY = 'mounted\n';
const SETTINGS = {
  max_connections: '200',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  archive_mode: 'on',
};
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

/** Mounts the disk, keeps it until its standard input ends, and then ends a server that still runs on it. */
const HOLDER = `trap '' INT TERM HUP
mount -t tmpfs -o size=${MEGABYTES}m,mode=755 none "$1" && echo mounted && cat >/dev/null
if [ -f "$1/data/postmaster.pid" ]; then kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"; fi`;

/** Starts the process whose namespace has the disk; returns it. */
async function holdDisk(folder: string): Promise<ChildProcess> {
  const namespace = isRoot ? ['--mount'] : ['--mount', '--user', '--map-current-user', '--keep-caps'];
  const holder = spawn('unshare', [...namespace, 'sh', '-c', HOLDER, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as [unknown];
  if (String(said) !== READY) throw new Error('The small disk could not be mounted.');
  return holder;
}

/** Runs a command inside of the namespace, as the user of the server. */
function createInside(holder: ChildProcess): (command: string, words: readonly string[]) => Promise<unknown> {
  const enter = ['--target', String(holder.pid), '--mount', ...(isRoot ? [] : ['--user', '--preserve-credentials'])];
  const asOwner = isRoot ? ['runuser', '-u', ADMINISTRATOR, '--'] : [];
  return (command, words) => run('nsenter', [...enter, ...asOwner, command, ...words], { cwd: '/' });
}

async function fillDisk(folder: string): Promise<void> {
  const file = await open(join(folder, 'filling'), 'a');
  try {
    for (let written = 0; written <= MEGABYTES; written += 1) await file.write(CHUNK);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC')) throw cause;
  } finally {
    await file.close();
  }
  if ((await statfs(folder)).bavail > 0) throw new Error('The disk is not full.');
}

async function makeArchive(archive: string): Promise<void> {
  await mkdir(archive);
  if (isRoot) await chown(archive, await idOf('-u'), await idOf('-g'));
}

export async function startFailingCluster(): Promise<FailingCluster> {
  const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'];
  if (!binaries) throw new Error('COUNTERFOIL_POSTGRES_BIN is not set; use bin/with-postgres.');
  const base = await mkdtemp(join(tmpdir(), 'counterfoil-failing-'));
  await chmod(base, 0o755);
  const [disk, archive] = [join(base, 'disk'), join(base, 'archive')] as const;
  await mkdir(disk);
  await makeArchive(archive);
  const holder = await holdDisk(disk);
  const inside = createInside(holder);
  // The folder of the disk as a process outside of its namespace reaches it.
  const seen = `/proc/${holder.pid}/root${disk}`;
  const data = join(disk, 'data');
  await mkdir(join(seen, 'data'), { mode: 0o700 });
  if (isRoot) await chown(join(seen, 'data'), await idOf('-u'), await idOf('-g'));
  const locale = ['--auth=trust', '--encoding=UTF8', '--locale=C'];
  await inside(join(binaries, 'initdb'), ['--no-sync', '-D', data, '-U', ADMINISTRATOR, ...locale]);
  const port = await freePort();
  const place = { port: String(port), listen_addresses: HOST, unix_socket_directories: data };
  const settings = Object.entries({ ...SETTINGS, ...place, archive_command: `cp %p ${archive}/%f` });
  const options = settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
  const control = (...words: string[]) => inside(join(binaries, 'pg_ctl'), ['-D', data, '-w', '-t', '60', ...words]);
  const start = async () => void (await control('-l', join(data, 'server.log'), '-o', options, 'start'));
  await start();
  return {
    url: `postgresql://${ADMINISTRATOR}@${HOST}:${port}/postgres`,
    start,
    stop: async () => void (await control('-m', 'fast', 'stop')),
    fill: () => fillDisk(seen),
    empty: () => rm(join(seen, 'filling')),
    loseArchive: () => rm(archive, { recursive: true }),
    restoreArchive: () => makeArchive(archive),
    end: async () => {
      const ended = holder.exitCode === null && holder.signalCode === null ? once(holder, 'exit') : undefined;
      holder.stdin?.end();
      await ended;
      await rm(base, { recursive: true });
    },
  };
}
