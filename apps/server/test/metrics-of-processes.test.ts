import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { ALICE } from '../rig/database/key-ring-fixture.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { NO_PRICES } from '../rig/fakes/price-servers.ts';
import type { WorkerProcess } from '../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../rig/processes/server-process.ts';
import { systemClock } from '../src/lib/clock.ts';
import { initKeyRing } from '../src/secrets/init-key-ring.ts';

/** Each process serves the metrics that the guide lists for it: rules and boards rely on them. */

const GUIDE = new URL('../../../docs/operations/monitor.md', import.meta.url);
const ROW = /^\| (`counterfoil_[^|]+) \| (all|[A-Za-z, ]+) \|/gm;
const rows = [...readFileSync(GUIDE, 'utf8').matchAll(ROW)];

const listedFor = (process: string) =>
  rows
    .filter(([, , processes = '']) => processes === 'all' || processes.split(', ').includes(process))
    .flatMap(([, names = '']) => names.match(/counterfoil_\w+/g) ?? [])
    .toSorted();

let own: TestDatabase;
let folder: string;
let ring: { COUNTERFOIL_KEY_RING_FILE: string };
let running: WorkerProcess | undefined;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-metrics-'));
  ring = { COUNTERFOIL_KEY_RING_FILE: join(folder, 'ring.json') };
  await initKeyRing({ database: own.database, clock: systemClock, keyRingFile: ring.COUNTERFOIL_KEY_RING_FILE }, ALICE);
});
afterEach(() => running?.stop());
afterAll(async () => {
  await own.drop();
  await rm(folder, { recursive: true });
});

const scrape = async () => (await fetch(`${running?.operationsUrl}/metrics`)).text();

const listTimedLoops = async () =>
  [...(await scrape()).matchAll(/^counterfoil_loop_late_seconds\{loop="([^"]+)"\} \d/gm)].map(([, loop]) => loop);

test.each([
  ['API', () => startApi(own.url)],
  ['worker', () => startWorker(own.url, { ...NO_PRICES, ...ring })],
  ['dashboard', () => startDashboard(own.url, ring)],
] as const)('the %s serves the metrics that the guide lists for it, and no other', async (process, start) => {
  running = await start();
  const served = [...(await scrape()).matchAll(/^# TYPE (counterfoil_\w+) /gm)].map(([, name = '']) => name);
  expect(served.toSorted()).toEqual(listedFor(process));
});

test('a worker shows for each of its loops when it last completed a run', async () => {
  running = await startWorker(own.url, { ...NO_PRICES, ...ring });
  await expect
    .poll(listTimedLoops)
    .toEqual(expect.arrayContaining(['prices', 'retention', 'housekeeping', 'job tables', 'audit', 'exchange keys']));
});
