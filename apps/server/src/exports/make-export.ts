import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import type { Clock } from '../lib/clock.ts';
import type { Failpoint } from '../lib/failpoint.ts';
import { showLife } from '../lib/watchdog.ts';
import type { Networks } from '../networks/networks.ts';
import type { ExportFault, ExportScope } from './export.ts';
import { decideScope, KEPT_DAYS, MOST_BYTES, MOST_ROWS } from './export.ts';
import { readBatches } from './export-batches.ts';
import type { BegunExport } from './export-sql.ts';
import { beginExport, deleteChunks, failExport, findExporter, finishExport, insertChunk } from './export-sql.ts';
import { createChunkWriter } from './chunk-writer.ts';

export type ExportingContext = Context & {
  networks: Networks;
  failpoint: Failpoint;
  steady: Clock;
  /** Waits, or less when the worker stops. */
  rest: (ms: number) => Promise<void>;
  /** Aborted when the worker stops: the export is returned. */
  signal: AbortSignal;
  pageRows: number;
};

/** Some milliseconds of work for the database. */
export const PAGE_ROWS = 1_000;
/** Shortest pause after a statement. */
const LEAST_REST_MS = 2;
const DELETED_CHUNKS = 32;

/** Ends an export permanently; after other faults it is retried. */
type Ended = { fault: ExportFault };

async function deleteEarlierChunks({ database, rest }: ExportingContext, id: bigint): Promise<void> {
  while ((await deleteChunks(database.queries, id, DELETED_CHUNKS)) > 0) {
    showLife();
    await rest(LEAST_REST_MS);
  }
}

type Written = { rows: number; bytes: number; sha256: Buffer };

/** Writes the chunks, pausing as long as each batch took: at most half of the database's time. */
async function writeFile(context: ExportingContext, begun: BegunExport, scope: ExportScope): Promise<Written | Ended> {
  const { database, failpoint, rest, signal, steady } = context;
  const writer = createChunkWriter(async (chunk) => {
    if (!(await insertChunk(database.queries, begun, chunk))) throw new Error('Another attempt has begun.');
    await failpoint('export chunk stored');
  });
  let rows = 0;
  let fromMs = steady.nowMs();
  for await (const batch of readBatches(context, begun.kind, { scope, filter: begun })) {
    if (signal.aborted) throw new Error('The worker stops.');
    rows += batch.rows;
    if (rows > MOST_ROWS) return { fault: 'too-many-rows' };
    await writer.write(batch.text);
    if (writer.bytes() > MOST_BYTES) return { fault: 'too-many-bytes' };
    showLife();
    await rest(Math.max(LEAST_REST_MS, steady.nowMs() - fromMs));
    fromMs = steady.nowMs();
  }
  return { rows, ...(await writer.close()) };
}

/** Makes the file of an export. The latest of several calls starts over; writes of earlier ones are refused. */
export async function makeExport(context: ExportingContext, exportId: bigint): Promise<void> {
  const { database, clock, failpoint } = context;
  const begun = await beginExport(database.queries, exportId);
  if (!begun) return;
  const now = () => new Date(clock.nowMs());
  await deleteEarlierChunks(context, begun.id);
  const scope = decideScope(begun, await findExporter(database.queries, begun));
  if (!scope) {
    await failExport(database.queries, begun.id, 'no-permission', now());
    return;
  }
  const written = await writeFile(context, begun, scope);
  if ('fault' in written) {
    await failExport(database.queries, begun.id, written.fault, now());
    return;
  }
  await failpoint('export written');
  const at = now();
  const expiresAt = new Date(at.getTime() + KEPT_DAYS * DAY_MS);
  if (!(await finishExport(database.queries, begun, { ...written, ...scope, at, expiresAt })))
    throw new Error('Another attempt has begun.');
}
