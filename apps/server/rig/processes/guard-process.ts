import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** Foreign programs of a rig, which always end with the process that started them. */

/**
 * Shell script that ends the program when our process is gone, even by SIGKILL: our end of the script's standard input
 * closes then.
 */
const GUARD = `trap '' INT TERM HUP; if ! read -r _; then kill -KILL "$1"; fi; rm -rf "$2"`;

/**
 * Keeps a child process from holding our process alive: a suite that forgets `stop` still ends, and the guard, a shell
 * script, ends the program then.
 */
export function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

/** Starts the guard of a program; the guard removes `stateFolder` when the program has ended. */
export function guardProcess(child: ChildProcess, processId: number, stateFolder: string): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', GUARD, 'guard', String(processId), stateFolder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A failed write to the guard is ignored: the guard may have ended already.
  watcher.stdin.on('error', () => {});
  // When the program has ended, the guard gets a line and kills nothing. At an end of file without a line, it would
  // kill the program's process id, which may be reused by then.
  child.once('exit', () => watcher.stdin.end('ended\n'));
  letGo(watcher);
  return watcher;
}

/** Ends a program and waits until its guard has removed its folder. SIGKILL also ends a paused program. */
export async function endGuarded(child: ChildProcess, watcher: ChildProcess): Promise<void> {
  child.ref();
  watcher.ref();
  const watched = watcher.exitCode === null && watcher.signalCode === null;
  const cleanedUp = watched ? once(watcher, 'exit') : undefined;
  child.kill('SIGKILL');
  await cleanedUp;
}
