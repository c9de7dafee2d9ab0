import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { ALICE } from '../../rig/database/key-ring-fixture.ts';
import { freePort } from '../../rig/fakes/listen.ts';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { makePerson, signInByPassword } from '../../rig/people/make-person.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** Real processes over one database, the owner of a merchant with a large store, and owners of merchants beside it. */

export type BenchOwner = { browser: Browser; account: string; store: TestStore };

export type BenchSite = {
  database: Database;
  /** A superuser without a time limit, who writes rows. */
  admin: pg.Client;
  api: ServerProcess;
  dashboard: ServerProcess;
  worker: () => Promise<WorkerProcess>;
  /** Owns the store with most rows. */
  large: BenchOwner;
  /** Owns a store without any invoice. */
  empty: BenchOwner;
  /** Creates invoices while the large store is exported. */
  busy: TestStore;
};

const CREDIT_MICRO_USD = 100_000_000_000n;

type Signing = { database: Database; server: ServerProcess; dashboardUrl: string };

async function signInOwner(site: Signing, store: TestStore): Promise<BenchOwner> {
  const { database } = site;
  const person = await makePerson(site);
  const { merchantAccountId } = store;
  const context = { database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role: 'owner' });
  await signInByPassword(person);
  const { rows } = await database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  return { browser: person.browser, account: rows[0]?.code ?? '', store };
}

export async function withBenchSite(use: (site: BenchSite) => Promise<void>): Promise<void> {
  await withDrillDatabase(async ({ url, database }) => {
    const folder = await mkdtemp(join(tmpdir(), 'counterfoil-bench-'));
    const path = join(folder, 'ring.json');
    await initKeyRing({ database, clock: systemClock, keyRingFile: path }, ALICE);
    const ring = await openKeyRing(path);
    const open = () => openStore(database, { ring, creditMicroUsd: CREDIT_MICRO_USD });
    const [large, empty, busy] = [await open(), await open(), await open()];
    const settings = { COUNTERFOIL_KEY_RING_FILE: path, COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1' };
    const api = await startApi(url);
    const port = await freePort();
    // Passkeys belong to a host name, so the address is no IP address.
    const dashboardUrl = `http://localhost:${port}`;
    const dashboard = await startDashboard(url, {
      ...settings,
      COUNTERFOIL_DASHBOARD_URL: dashboardUrl,
      COUNTERFOIL_DASHBOARD_PORT: String(port),
    });
    const admin = new pg.Client({ connectionString: url });
    const workers: WorkerProcess[] = [];
    const worker = async () => {
      const started = await startWorker(url, settings);
      workers.push(started);
      return started;
    };
    try {
      await admin.connect();
      await use({
        database,
        admin,
        api,
        dashboard,
        worker,
        large: await signInOwner({ database, server: dashboard, dashboardUrl }, large),
        empty: await signInOwner({ database, server: dashboard, dashboardUrl }, empty),
        busy,
      });
    } finally {
      await admin.end();
      await Promise.all([...workers, api, dashboard].map((process) => process.stop()));
      await rm(folder, { recursive: true });
    }
  });
}
