import { freePort, LOOPBACK } from '../../rig/fakes/listen.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { untilDead } from '../../rig/processes/worker-fleet.ts';
import type { Closers } from '../../rig/site/site-processes.ts';

/** The API, the worker and the dashboard's server, which stop and start again at the same ports. */

type Settings = Readonly<Record<string, string>>;

export type Processes = {
  /** Where each serves its metrics, by the name of its job. */
  targets: Readonly<Record<string, string>>;
  api(): ServerProcess;
  dashboard(): ServerProcess;
  dashboardUrl: string;
  startAll(): Promise<void>;
  startApi(): Promise<void>;
  stopApi(): Promise<void>;
  startDashboard(): Promise<void>;
  stopDashboard(): Promise<void>;
  /** Starts a worker; `more` replace its usual settings. */
  startWorker(more?: Settings): Promise<void>;
  stopWorker(): Promise<void>;
  /** Kills the worker as by `kill -9`. */
  killWorker(): Promise<void>;
};

/** `settings`: of worker and dashboard; `working`: of the worker alone. */
type Options = { url: string; settings: Settings; working: Settings; dashboardUrl: string };

const DEATH_MS = 30_000;
/** Errors show soon, as with the settings of production: the drill's database is away on purpose. */
const COMMON = {
  COUNTERFOIL_LOG_LEVEL: 'warn',
  COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
  COUNTERFOIL_DATABASE_WAIT_SECONDS: '2',
};

const missing = (): never => {
  throw new Error('The process does not run.');
};

export async function createProcesses(
  { url, settings, working, dashboardUrl }: Options,
  closers: Closers,
): Promise<Processes> {
  const [api, worker, dashboard, port] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const checkoutUrl = `http://${LOOPBACK}:${port}`;
  const running: { api?: ServerProcess; worker?: WorkerProcess; dashboard?: ServerProcess } = {};
  const stop = async (name: keyof typeof running) => {
    const process = running[name];
    delete running[name];
    await process?.stop();
  };
  closers.push(async () => void (await Promise.all([stop('api'), stop('worker'), stop('dashboard')])));
  const processes: Omit<Processes, 'startAll'> = {
    targets: {
      'counterfoil-api': `${LOOPBACK}:${api}`,
      'counterfoil-worker': `${LOOPBACK}:${worker}`,
      'counterfoil-dashboard': `${LOOPBACK}:${dashboard}`,
    },
    api: () => running.api ?? missing(),
    dashboard: () => running.dashboard ?? missing(),
    dashboardUrl,
    startApi: async () => {
      const own = { COUNTERFOIL_PORT: String(port), COUNTERFOIL_CHECKOUT_URL: checkoutUrl };
      running.api = await startApi(url, { ...COMMON, ...own, COUNTERFOIL_OPERATIONS_PORT: String(api) });
    },
    stopApi: () => stop('api'),
    startDashboard: async () => {
      const own = {
        COUNTERFOIL_DASHBOARD_OPERATIONS_PORT: String(dashboard),
        COUNTERFOIL_DASHBOARD_URL: dashboardUrl,
        COUNTERFOIL_DASHBOARD_PORT: new URL(dashboardUrl).port,
        COUNTERFOIL_TRUSTED_PROXIES: LOOPBACK,
        COUNTERFOIL_REGISTRATION: 'open',
      };
      const given = settings as { COUNTERFOIL_KEY_RING_FILE: string };
      running.dashboard = await startDashboard(url, { ...COMMON, ...given, ...own });
    },
    stopDashboard: () => stop('dashboard'),
    startWorker: async (more = {}) => {
      const own = { COUNTERFOIL_WORKER_OPERATIONS_PORT: String(worker), COUNTERFOIL_DASHBOARD_URL: dashboardUrl };
      running.worker = await startWorker(url, { ...COMMON, ...settings, ...working, ...own, ...more });
    },
    stopWorker: () => stop('worker'),
    killWorker: async () => {
      const killed = running.worker ?? missing();
      killed.child.kill('SIGKILL');
      if (!(await untilDead(killed, DEATH_MS))) throw new Error('The worker does not die.');
      delete running.worker;
    },
  };
  const startAll = async () => {
    await Promise.all([processes.startApi(), processes.startDashboard(), processes.startWorker()]);
  };
  return { ...processes, startAll };
}
