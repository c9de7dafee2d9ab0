import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { exhaustConnections } from '../../rig/database/exhaust-connections.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { steadyClock, systemClock } from '../../src/lib/clock.ts';
import type { FaultSite } from './site.ts';
import { DASHBOARD } from './site.ts';

/** Faults of the drill, and how each shows that it took place. */

type Struck = {
  struckAtMs: number;
  endedAtMs: number;
  evidence: string | undefined;
  /** Process that must have been asked when the fault began; undefined if any will do. */
  target?: string;
  /** Number of processes that were killed. */
  kills: number;
};

export type Fault = { kind: string; strike: (site: FaultSite) => Promise<Struck> };

/** How long faults last that do not end by themselves. */
export type Lengths = { freezeMs: number; fullMs: number; exhaustedMs: number };

const BUSY = { what: 'The drill has no load.', pollMs: 1 };
const PROBE_MS = 1_000;
const REFILL_MS = 100;
const SHUT_DOWN = /received fast shutdown request/;
const CRASHED = /database system was (?:interrupted|not properly shut down)/;
const FULL = /No space left on device/;

/** Waits until a request is in progress, to this process or to any. */
const untilBusy = ({ traffic }: FaultSite, target?: string) => waitUntil(() => traffic.inFlight(target) > 0, BUSY);

const now = () => systemClock.nowMs();

function killProcess(kind: string, name: string, target?: string): Fault {
  return {
    kind,
    strike: async (site) => {
      const process = site.processes[name];
      if (!process) throw new Error(`There is no ${name}.`);
      await waitUntil(() => process.running() !== undefined, { what: `${name} does not run.`, pollMs: 50 });
      await untilBusy(site, target);
      const struckAtMs = now();
      const signal = await process.kill();
      const isKilled = signal === 'SIGKILL';
      return {
        struckAtMs,
        endedAtMs: struckAtMs,
        evidence: isKilled ? `${name} ended by ${signal}` : undefined,
        ...(target !== undefined && { target }),
        kills: isKilled ? 1 : 0,
      };
    },
  };
}

/** The text that PostgreSQL has logged since `length` and that shows the fault. */
async function findInLog({ cluster }: FaultSite, length: number, pattern: RegExp): Promise<string | undefined> {
  return pattern.exec((await cluster.readLog()).slice(length))?.[0];
}

async function untilLogged(site: FaultSite, length: number, pattern: RegExp): Promise<string | undefined> {
  let found: string | undefined;
  const look = async () => (found = await findInLog(site, length, pattern)) !== undefined;
  await waitUntil(look, { what: 'PostgreSQL logs nothing of the fault.', pollMs: 100 }).catch(() => {});
  return found;
}

const restartPostgres: Fault = {
  kind: 'postgres-restart',
  strike: async (site) => {
    const { length } = await site.cluster.readLog();
    await untilBusy(site);
    const struckAtMs = now();
    await site.cluster.shutDown();
    const endedAtMs = now();
    return { struckAtMs, endedAtMs, evidence: await untilLogged(site, length, SHUT_DOWN), kills: 0 };
  },
};

const killPostgres: Fault = {
  kind: 'postgres-kill',
  strike: async (site) => {
    const { length } = await site.cluster.readLog();
    await untilBusy(site);
    const struckAtMs = now();
    await site.cluster.kill();
    return { struckAtMs, endedAtMs: struckAtMs, evidence: await untilLogged(site, length, CRASHED), kills: 1 };
  },
};

/** Whether the server leaves a new connection without an answer. */
async function isSilent(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return false;
  } catch (cause) {
    return cause instanceof Error && /timeout/.test(cause.message);
  }
}

const freezePostgres = (freezeMs: number): Fault => ({
  kind: 'postgres-freeze',
  strike: async (site) => {
    await untilBusy(site);
    const struckAtMs = now();
    const startedMs = steadyClock.nowMs();
    site.cluster.freeze();
    const silent = await isSilent(site.cluster.url);
    await wait(Math.max(0, freezeMs - (steadyClock.nowMs() - startedMs)));
    site.cluster.thaw();
    const evidence = silent ? 'a new connection got no answer' : undefined;
    return { struckAtMs, endedAtMs: now(), evidence, kills: 0 };
  },
});

const fillDisk = (fullMs: number): Fault => ({
  kind: 'disk-full',
  strike: async (site) => {
    const { cluster } = site;
    const { length } = await cluster.readLog();
    await untilBusy(site);
    const struckAtMs = now();
    await cluster.fill();
    const untilMs = steadyClock.nowMs() + fullMs;
    // What PostgreSQL frees meanwhile is filled again, and the disk stays full until that has stopped a statement.
    const isOver = async () => {
      await cluster.fill();
      return steadyClock.nowMs() >= untilMs && (await findInLog(site, length, FULL)) !== undefined;
    };
    await waitUntil(isOver, { what: 'PostgreSQL does not notice.', pollMs: REFILL_MS }).catch(() => {});
    await cluster.free();
    return { struckAtMs, endedAtMs: now(), evidence: await findInLog(site, length, FULL), kills: 0 };
  },
});

const useUpConnections = (exhaustedMs: number): Fault => ({
  kind: 'connections-used-up',
  strike: async (site) => {
    await untilBusy(site);
    const struckAtMs = now();
    const exhaustion = exhaustConnections(site.cluster.url);
    await waitUntil(() => exhaustion.refused() > 0, { what: 'There are connections left.', pollMs: 5 });
    await wait(exhaustedMs);
    const evidence = `${exhaustion.held()} connections held, ${exhaustion.refused()} refused`;
    await exhaustion.release();
    return { struckAtMs, endedAtMs: now(), evidence, kills: 0 };
  },
});

export const faultsOf = ({ freezeMs, fullMs, exhaustedMs }: Lengths): Fault[] => [
  killProcess('kill-api-1', 'api-1', 'api-1'),
  killProcess('kill-api-2', 'api-2', 'api-2'),
  killProcess('kill-worker-1', 'worker-1'),
  killProcess('kill-worker-2', 'worker-2'),
  killProcess('kill-dashboard', DASHBOARD, DASHBOARD),
  restartPostgres,
  killPostgres,
  freezePostgres(freezeMs),
  fillDisk(fullMs),
  useUpConnections(exhaustedMs),
];
