import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../fakes/listen.ts';

/**
 * A PostgreSQL server on a small disk of its own, which can be filled: a file system in memory that only the server's
 * namespace has mounted.
 */

export type SmallDiskCluster = {
  url: string;
  /** Writes to the disk until nothing more fits on it. */
  fill(): Promise<void>;
  stop(): Promise<void>;
};

const HOST = '127.0.0.1';
const ADMINISTRATOR = 'postgres';
const MEGABYTES = 128;
const CHUNK = Buffer.alloc(1_048_576);
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

/** Makes the disk and the server on it, and prints the server's process id. */
const SCRIPT = `
set -eu
folder=$1 binaries=$2 port=$3 user=$4
mount -t tmpfs -o size=${MEGABYTES}m,mode=755 none "$folder"
mkdir "$folder/data"
as_owner() { if [ -n "$user" ]; then runuser -u "$user" -- "$@"; else "$@"; fi; }
if [ -n "$user" ]; then chown "$user" "$folder/data"; fi
cd /
as_owner "$binaries/initdb" --no-sync -D "$folder/data" -U ${ADMINISTRATOR} --auth=trust --encoding=UTF8 --locale=C >/dev/null
as_owner "$binaries/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/data/server.log" \\
  -o "-p $port -c listen_addresses=${HOST} -c unix_socket_directories=$folder/data" start >/dev/null
head -n 1 "$folder/data/postmaster.pid"
`;

/** The folder of the disk as a process outside of the namespace reaches it. */
const seenThrough = (pid: number, folder: string) => `/proc/${pid}/root${folder}`;

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

export async function startSmallDiskCluster(): Promise<SmallDiskCluster> {
  const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'];
  if (!binaries) throw new Error('COUNTERFOIL_POSTGRES_BIN is not set; use bin/with-postgres.');
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-disk-'));
  const port = await freePort();
  const namespace = isRoot ? ['--mount'] : ['--mount', '--user', '--map-current-user'];
  const words = [folder, binaries, String(port), isRoot ? ADMINISTRATOR : ''];
  const { stdout } = await run('unshare', [...namespace, 'sh', '-c', SCRIPT, 'sh', ...words]);
  const pid = Number(stdout.trim());
  return {
    url: `postgresql://${ADMINISTRATOR}@${HOST}:${port}/postgres`,
    fill: () => fillDisk(seenThrough(pid, folder)),
    stop: async () => {
      process.kill(pid, 'SIGQUIT');
      await rm(folder, { recursive: true });
    },
  };
}
