import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Faults } from '../../rig/report/faults.ts';
import type { Disturbance } from '../../rig/report/upgrade-judgement.ts';
import { countAnswers } from '../../rig/processes/count-answers.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { untilDead } from '../../rig/processes/worker-fleet.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import type { Kind, Site, Slot } from './site.ts';
import { SLOTS } from './site.ts';
import type { Version } from './versions.ts';

/** The processes of an installation, each of one version, and how they are replaced. */

type Health = { status: number; faults: string[]; notes: string[]; commit: string | undefined };

export type Installation = {
  start(slot: Slot, version: Version): Promise<WorkerProcess>;
  /** Replaces a process as the guide says: it is stopped, started again, and Caddy gets two seconds to notice. */
  replace(slot: Slot, version: Version): Promise<void>;
  /** Kills a process as by `kill -9`. Returns when it was killed. */
  kill(slot: Slot): Promise<number>;
  version(slot: Slot): Version;
  health(slot: Slot): Promise<Health>;
  /** Number of processes of each kind that were replaced by another version. */
  replaced: Record<Kind, number>;
  /** Ends of processes that may fail requests. */
  disturbances: Disturbance[];
  stopAll(): Promise<void>;
};

/** What the guide waits after a process is ready, for Caddy's next check. */
const NOTICED_MS = 2_000;
const POLL_MS = 100;
const READY_MS = 60_000;
const DEATH_MS = 10_000;
const HTTP_OK = 200;

const kindOf = (slot: Slot): Kind => (slot === 'dashboard' ? 'dashboard' : slot.startsWith('api') ? 'api' : 'worker');

async function startSlot({ url, settings, ports }: Site, slot: Slot, folder: string): Promise<WorkerProcess> {
  const source = join(folder, 'apps/server/src');
  // The name by which a lock that waits is known to be this process's.
  const own = new URL(url);
  own.searchParams.set('application_name', slot);
  switch (slot) {
    case 'api-1':
    case 'api-2':
      return startApi(own.href, { ...settings.api, COUNTERFOIL_PORT: String(ports[slot]) }, source);
    case 'dashboard':
      return startDashboard(
        url,
        { ...settings.dashboard, COUNTERFOIL_DASHBOARD_PORT: String(ports.dashboard) },
        source,
      );
    case 'worker-1':
    case 'worker-2':
    case 'worker-3':
      return startWorker(url, settings.worker, source);
  }
}

async function readHealth({ operationsUrl }: WorkerProcess): Promise<Health> {
  const response = await fetch(`${operationsUrl}/readyz`);
  const body = (await response.json()) as Partial<Health>;
  const { faults = [], notes = [], commit } = body;
  return { status: response.status, faults, notes, commit };
}

export function createInstallation(site: Site, faults: Faults): Installation {
  const running = new Map<Slot, { version: Version; process: WorkerProcess }>();
  const replaced = { api: 0, dashboard: 0, worker: 0 };
  const disturbances: Disturbance[] = [];

  function of(slot: Slot) {
    const found = running.get(slot);
    if (!found) throw new Error(`${slot} does not run.`);
    return found;
  }

  async function start(slot: Slot, version: Version): Promise<WorkerProcess> {
    const process = await startSlot(site, slot, version.folder);
    running.set(slot, { version, process });
    const isReady = async () => (await readHealth(process)).status === HTTP_OK;
    await waitUntil(isReady, {
      what: `${slot} is not ready:\n${process.output()}`,
      pollMs: POLL_MS,
      timeoutMs: READY_MS,
    });
    return process;
  }

  async function stop(slot: Slot): Promise<void> {
    const { version, process } = of(slot);
    const kind = kindOf(slot);
    if (kind === 'api' && (await countAnswers(process, 'POST', '/payment/crypto')) === 0)
      faults.add(`${slot} of the ${version.name} version is stopped before it got a request`);
    const fromMs = steadyClock.nowMs();
    const code = await process.stop();
    if (code !== 0) faults.add(`${slot} of the ${version.name} version ended with exit code ${code}`);
    if (!version.drains && kind !== 'worker')
      disturbances.push({ kind: 'no drain', fromMs, toMs: steadyClock.nowMs() });
    running.delete(slot);
  }

  return {
    start,
    replace: async (slot, version) => {
      const before = of(slot).version;
      await stop(slot);
      const { commit } = await readHealth(await start(slot, version));
      // Versions before this field show no commit.
      if (commit !== undefined && commit !== version.commit)
        faults.add(`${slot} runs ${commit}, not the ${version.name} version`);
      if (before !== version) replaced[kindOf(slot)] += 1;
      await wait(NOTICED_MS);
    },
    kill: async (slot) => {
      const { process } = of(slot);
      const killedAtMs = steadyClock.nowMs();
      process.child.kill('SIGKILL');
      await untilDead(process, DEATH_MS);
      running.delete(slot);
      disturbances.push({ kind: 'kill', fromMs: killedAtMs, toMs: killedAtMs });
      return killedAtMs;
    },
    version: (slot) => of(slot).version,
    health: (slot) => readHealth(of(slot).process),
    replaced,
    disturbances,
    stopAll: async () => {
      const open = SLOTS.flatMap((slot) => running.get(slot)?.process ?? []);
      await Promise.all(open.map((process) => process.stop()));
    },
  };
}
