import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Request, Verdict } from './verdict.ts';

/** Runs tests in a copy of the work tree, by a process that stays between requests. */

export const RUN_TIMEOUT_MS = 300_000;
const MAX_COMPLAINT_CHARACTERS = 300;

export const NO_VERDICT = 'the run did not end with a verdict';

export type Run = (request: Request) => Promise<Verdict>;

type Started = { child: ChildProcess; complaint: () => string };

function start(folder: string): Started {
  const server = join(folder, 'apps/server');
  const child = fork(join(server, 'drills/mutants/runner-process.ts'), {
    cwd: server,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own: the workers and servers of a run that hangs end with it.
    detached: true,
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-MAX_COMPLAINT_CHARACTERS);
  });
  return { child, complaint: () => complaint.trim() };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}

/** Verdict of a process, or undefined if the process ended or did not answer in time. */
async function ask({ child }: Started, request: Request): Promise<Verdict | undefined> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(request.timeoutMs ?? RUN_TIMEOUT_MS)]);
  const exited = once(child, 'exit', { signal }).then(() => undefined);
  try {
    const answered = once(child, 'message', { signal }).then(([verdict]) => verdict as Verdict);
    child.send(request);
    return await Promise.race([answered, exited]);
  } catch {
    return undefined;
  } finally {
    settled.abort();
    await exited.catch(() => {});
  }
}

export async function withRunner<T>(folder: string, use: (run: Run) => Promise<T>): Promise<T> {
  let started: Started | undefined;
  const run: Run = async (request) => {
    started ??= start(folder);
    const verdict = await ask(started, request);
    if (verdict) return verdict;
    const reason = `${NO_VERDICT}: ${started.complaint()}`;
    endGroup(started.child);
    started = undefined;
    return { kind: 'broken', reason };
  };
  try {
    return await use(run);
  } finally {
    if (started?.child.connected) {
      const exit = once(started.child, 'exit');
      started.child.disconnect();
      await exit;
    }
  }
}
