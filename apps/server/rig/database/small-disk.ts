import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A small disk of a PostgreSQL server, which can be filled: a file system in memory, in a mount namespace of its own. */

export type SmallDisk = {
  /** Folder for the server's data, as processes of the namespace see it. */
  data: string;
  /** Words before a command that runs in the namespace, as the server's user. */
  inside: readonly [string, ...string[]];
  /** Runs such a command. */
  run(command: string, words: readonly string[]): Promise<void>;
  /** Fills the disk. If the server frees space later, it stays free until this is called again. */
  fill(): Promise<void>;
  /** Removes what `fill` has written. */
  free(): Promise<void>;
  /** Ends the namespace, and a server that still runs on the disk. */
  close(): Promise<void>;
};

const SERVER_USER = 'postgres';
const CHUNK = Buffer.alloc(1_048_576);
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

/**
 * Script that holds the mount namespace open while the server is down. It ends the server when its standard input closes,
 * which also happens when the process that started it dies.
 */
const HOLDER = `
set -eu
trap '' INT TERM HUP
mount -t tmpfs -o size="$2"m,mode=755 none "$1"
mkdir -m 700 "$1/data"
if [ -n "$3" ]; then chown "$3" "$1/data"; fi
echo mounted
read -r _ || true
if [ -f "$1/data/postmaster.pid" ]; then kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")" || true; fi
`;

async function fillUp(path: string, megabytes: number): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (let written = 0; written <= megabytes; written += 1) await file.write(CHUNK);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC') return;
    throw cause;
  } finally {
    await file.close();
  }
  throw new Error('The disk is not full.');
}

/** Mounts a disk in a new folder below `folder`. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  const path = join(folder, 'disk');
  await mkdir(path);
  const namespace = isRoot ? ['--mount'] : ['--mount', '--user', '--map-current-user'];
  const words = [path, String(megabytes), isRoot ? SERVER_USER : ''];
  const holder = spawn('unshare', [...namespace, 'sh', '-c', HOLDER, 'sh', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  await Promise.race([
    once(holder.stdout, 'data'),
    ended.then(() => {
      throw new Error('The disk could not be mounted.');
    }),
  ]);
  const entered = isRoot ? ['--mount'] : ['--user', '--mount', '--preserve-credentials'];
  const asOwner = isRoot ? ['setpriv', `--reuid=${SERVER_USER}`, `--regid=${SERVER_USER}`, '--init-groups'] : [];
  const inside = ['nsenter', `--target=${holder.pid}`, ...entered, '--', ...asOwner] as const;
  // As a process outside of the namespace reaches it.
  const filling = `/proc/${holder.pid}/root${path}/filling`;
  return {
    data: join(path, 'data'),
    inside,
    run: async (command, rest) => {
      const [program, ...before] = inside;
      await run(program, [...before, command, ...rest], { cwd: '/' });
    },
    fill: () => fillUp(filling, megabytes),
    free: () => rm(filling, { force: true }),
    close: async () => {
      holder.stdin.end();
      await ended;
    },
  };
}
