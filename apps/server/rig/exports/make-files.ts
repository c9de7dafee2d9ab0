import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../src/db/database.ts';
import type { ExportingContext } from '../../src/exports/make-export.ts';
import { makeExport } from '../../src/exports/make-export.ts';
import { steadyClock, systemClock } from '../../src/lib/clock.ts';
import { NETWORKS } from '../chains/networks.ts';

/** Makes the files of exports in this process, as a worker does, and checks them with the program for merchants. */

const VERIFIER = fileURLToPath(new URL('../../../../examples/verify-export/verify-export.mjs', import.meta.url));

export function exportingContext(database: Database, changes: Partial<ExportingContext> = {}): ExportingContext {
  return {
    database,
    clock: systemClock,
    steady: steadyClock,
    networks: NETWORKS,
    failpoint: () => {},
    rest: async () => {},
    signal: new AbortController().signal,
    pageRows: 3,
    ...changes,
  };
}

export async function idOfExport({ pool }: Database, code: string): Promise<bigint> {
  const { rows } = await pool.query<{ id: bigint }>('select id from exports where code = $1', [code]);
  const [row] = rows;
  if (!row) throw new Error(`There is no export ${code}.`);
  return row.id;
}

/** Makes the file of an export; `worker` is the database in the worker's role. */
export async function makeFile(
  { database, worker }: { database: Database; worker: Database },
  code: string,
  changes: Partial<ExportingContext> = {},
): Promise<void> {
  await makeExport(exportingContext(worker, changes), await idOfExport(database, code));
}

/** Runs the program that checks files; returns its exit code and what it says. */
export async function verifyFile(
  path: string,
  bytes: string | Buffer,
  sha256?: string,
): Promise<{ code: number; out: string }> {
  await writeFile(path, bytes);
  const words = [VERIFIER, path, ...(sha256 === undefined ? [] : ['--sha256', sha256])];
  return new Promise((resolve) => {
    execFile(process.execPath, words, (cause, out) => resolve({ code: cause ? Number(cause.code) : 0, out }));
  });
}
