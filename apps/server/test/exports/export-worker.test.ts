import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Exporter } from '../../rig/exports/open-exporter.ts';
import { openExporter } from '../../rig/exports/open-exporter.ts';
import { parseTable } from '../../rig/exports/parse-csv.ts';
import { seedTrade } from '../../rig/exports/seed-trade.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { endRests, passMinute, readJobs } from '../../rig/jobs/job-fixture.ts';
import { killWorkerAt } from '../../rig/processes/kill-worker-at.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startWorker } from '../../rig/processes/server-process.ts';

/** Exports made by real worker processes, which are killed while they make them. */

/** As many invoices as make a file of several chunks, with pages that end inside of them. */
const INVOICES = 4_100;
const SOON = { interval: 100 };

let own: TestDatabase;
let exporter: Exporter;
let worker: WorkerProcess | undefined;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  exporter = await openExporter(own.database);
  await seedTrade(own.database.pool, { storeId: exporter.store.id, count: INVOICES });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await exporter.jobs.close();
  await own.drop();
});

type Stored = { state: string; tries: number; rows: bigint | null; bytes: bigint | null; sha256: Buffer | null };

async function readExport(id: bigint): Promise<Stored> {
  const statement = 'select state, tries, rows, bytes, sha256 from exports where id = $1';
  const { rows } = await own.database.pool.query<Stored>(statement, [id]);
  const [row] = rows;
  if (!row) throw new Error('The export is gone.');
  return row;
}

async function readChunks(id: bigint): Promise<{ number: number; bytes: Buffer }[]> {
  const statement = 'select number, bytes from export_chunks where export_id = $1 order by number';
  return (await own.database.pool.query<{ number: number; bytes: Buffer }>(statement, [id])).rows;
}

test('a worker that is killed while it makes a file is made good by another: the file is whole, once', async () => {
  const id = await exporter.ask('invoices');
  await killWorkerAt(own.url, 'export chunk stored*3', {});
  expect(await readExport(id)).toMatchObject({ state: 'running', tries: 1 });
  expect((await readChunks(id)).length).toBeGreaterThan(2);
  await passMinute(own);
  worker = await startWorker(own.url, NO_PRICES);
  // No minute passes from here on: the job of the worker that is at work would be taken for a lost one.
  await expect.poll(async () => (await endRests(own), (await readExport(id)).state), SOON).toBe('done');
  const { rows, bytes, sha256, tries } = await readExport(id);
  const chunks = await readChunks(id);
  const file = Buffer.concat(chunks.map((chunk) => chunk.bytes));
  expect(tries).toBe(2);
  expect(chunks.map(({ number }) => number)).toEqual(chunks.map((_chunk, index) => index));
  expect({ bytes, sha256 }).toEqual({
    bytes: BigInt(file.length),
    sha256: createHash('sha256').update(file).digest(),
  });
  const codes = parseTable(file.toString('utf8')).map(({ tid }) => tid);
  expect({ rows, codes: codes.length, different: new Set(codes).size }).toEqual({
    rows: BigInt(INVOICES),
    codes: INVOICES,
    different: INVOICES,
  });
  await expect.poll(async () => (await readJobs(own)).every(({ state }) => state === 'completed'), SOON).toBe(true);
});
