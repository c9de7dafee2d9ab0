import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { verifyAudit } from '../src/audit/verify-audit.ts';
import { writeKeyRing } from '../src/secrets/key-ring.ts';
import { readChainKeys } from '../src/secrets/read-chain-keys.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import type { TestStore } from '../rig/stores/open-store.ts';
import type { WorkerProcess } from '../rig/processes/server-process.ts';
import { openStore } from '../rig/stores/open-store.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { startWorker } from '../rig/processes/server-process.ts';

const WITHIN = { interval: 50 };

let own: TestDatabase;
let store: TestStore;
let folder: string;
let ringFile: string;
let workers: WorkerProcess[];
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-audit-'));
  ringFile = join(folder, 'ring.json');
  await writeKeyRing(ringFile, store.ring);
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await own.drop();
  await rm(folder, { recursive: true });
});

async function start(settings: Record<string, string>): Promise<WorkerProcess> {
  const worker = await startWorker(own.url, settings);
  workers.push(worker);
  return worker;
}

async function verify() {
  const keys = await readChainKeys(own.database.queries, () => Promise.resolve(store.ring));
  return verifyAudit(own.database.queries, { keys });
}

test('an entry of a process without the key ring waits for a worker that has it', async () => {
  const { entries } = await verify();
  expect(entries).toBeGreaterThan(0);
  const without = await start({});
  const metrics = await (await fetch(`${without.operationsUrl}/metrics`)).text();
  expect(metrics).toContain(`counterfoil_audit_waiting_entries ${entries}`);
  await expect.poll(() => without.output(), WITHIN).toContain('chains no audit entries');
  expect(await verify()).toEqual({ entries, waiting: entries });
  await start({ COUNTERFOIL_KEY_RING_FILE: ringFile });
  await expect.poll(verify, WITHIN).toMatchObject({ entries: entries + 1, waiting: 0 });
});

test('a worker logs the head of the audit chain when it starts', async () => {
  await start({ COUNTERFOIL_KEY_RING_FILE: ringFile });
  await expect.poll(verify, WITHIN).toMatchObject({ waiting: 0 });
  const { head } = await verify();
  const next = await start({});
  await expect.poll(() => next.output(), WITHIN).toContain(`"head":"${head}"`);
});
