import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { WorkerProcess } from './server-process.ts';
import { isAlive } from './worker-fleet.ts';

/** Starts a process again whenever it ends, as systemd does with `Restart=always` and `RestartSec=1`. */

export type Supervised<Started extends WorkerProcess> = {
  /** The process that was started first. */
  first: Started;
  /** The process that listens; undefined while it is down or starting. */
  running(): Started | undefined;
  /** Kills the process as by `kill -9`; returns the signal by which it ended. */
  kill(): Promise<NodeJS.Signals | null>;
  /** How often the process ended or did not start, without `kill` or `stop`. */
  ownEnds(): number;
  /** Outputs of all processes so far. */
  outputs(): readonly string[];
  stop(): Promise<void>;
};

const RESTART_MS = 1_000;

export async function superviseProcess<Started extends WorkerProcess>(
  start: () => Promise<Started>,
): Promise<Supervised<Started>> {
  const all: Started[] = [];
  const failures: string[] = [];
  const stopping = new AbortController();
  const killed = new Set<Started>();
  const first = await start();
  let current: Started | undefined = first;
  all.push(first);
  let ownEnds = 0;

  const startAgain = async (): Promise<Started | undefined> => {
    try {
      const started = await start();
      all.push(started);
      return started;
    } catch (cause) {
      ownEnds += 1;
      failures.push(String(cause));
      return undefined;
    }
  };

  const supervising = (async () => {
    for (;;) {
      if (current && isAlive(current)) await once(current.child, 'exit');
      if (stopping.signal.aborted) return;
      if (current && !killed.has(current)) ownEnds += 1;
      current = undefined;
      await wait(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      current = await startAgain();
    }
  })();

  return {
    first,
    running: () => (current && isAlive(current) ? current : undefined),
    kill: async () => {
      const victim = current;
      if (!victim || !isAlive(victim)) return null;
      killed.add(victim);
      const ended = once(victim.child, 'exit');
      victim.child.kill('SIGKILL');
      await ended;
      return victim.child.signalCode;
    },
    ownEnds: () => ownEnds,
    outputs: () => [...all.map((one) => one.output()), ...failures],
    stop: async () => {
      stopping.abort();
      await current?.stop();
      await supervising;
      await current?.stop();
    },
  };
}
