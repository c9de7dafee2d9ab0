import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { exportingContext } from '../../rig/exports/make-files.ts';
import type { Exporter } from '../../rig/exports/open-exporter.ts';
import { openExporter } from '../../rig/exports/open-exporter.ts';
import { seedTrade } from '../../rig/exports/seed-trade.ts';
import { findWaste, findWholeScans } from '../../rig/growth/judge-plans.ts';
import type { RecordedStatement } from '../../rig/growth/recorded-plans.ts';
import { buffersOf, openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { actAs } from '../../src/db/act-as.ts';
import { closeDatabase } from '../../src/db/database.ts';
import { eraseExports } from '../../src/exports/erase-exports.ts';
import { EXPORT_KINDS } from '../../src/exports/export.ts';
import { makeExport } from '../../src/exports/make-export.ts';
import { findExport, listExports, listSeenStores, readChunk } from '../../src/exports/member-export-sql.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';

/** What the statements of exports read, beside many rows of others and of exports that are over. */

const OTHERS = 20_000;
const OWN = 500;
const OVER = 5_000;
const PAGE = 100;
const YEAR_MS = 365 * 86_400_000;
/** Most pages of the database that a statement may touch: some for each of the rows of a page, and their indexes. */
const MOST_BUFFERS = 20 * PAGE;

const PAST = `
  insert into exports (code, merchant_account_id, person_id, requested_by, kind, store_ids, whole_merchant, to_at, state, slot,
    created_at, done_at, expires_at, rows, bytes, sha256)
  select 'EXP-PAST' || n, $1, p.id, p.code, 'invoices', '{}', true, now(), 'expired', 1, now(), now(), now() - interval '1 day', 0, 0,
    sha256('') from people p, generate_series(1, ${OVER}) n where p.mail_normal = 'exporter@acme.test'`;

let own: TestDatabase;
let exporter: Exporter;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  exporter = await openExporter(own.database);
  const other = await openStore(own.database);
  // The seed joins many rows: a connection with the settings of a process would do it row by row.
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  await seedTrade(client, { storeId: other.id, count: OTHERS });
  await seedTrade(client, { storeId: exporter.store.id, count: OWN, first: OTHERS + 1 });
  await client.query(PAST, [other.merchantAccountId]);
  await client.query('analyze exports');
  await client.end();
});
afterAll(async () => {
  await exporter.jobs.close();
  await own.drop();
});

/** Every statement reads little, and by an index. */
function expectLittle(recorded: readonly RecordedStatement[]): void {
  expect(recorded.length).toBeGreaterThan(0);
  expect(findWholeScans(recorded)).toEqual([]);
  expect(findWaste(recorded)).toEqual([]);
  const most = Math.max(...recorded.map(({ plan }) => buffersOf(plan)));
  expect(most).toBeLessThan(MOST_BUFFERS);
}

describe('of everything that a worker sends', () => {
  test.each(EXPORT_KINDS)('an export of %s reads its own rows by indexes, page by page', async (kind) => {
    const { database, take } = openRecordingDatabase(own.url, 1);
    const id = await exporter.ask(kind);
    await makeExport(exportingContext(database, { pageRows: PAGE }), id);
    const recorded = take();
    await closeDatabase(database);
    expectLittle(recorded);
    const { rows } = await own.database.pool.query('select state from exports where id = $1', [id]);
    expect(rows).toEqual([{ state: 'done' }]);
  });

  test('the end of exports finds them by indexes', async () => {
    const { database, take } = openRecordingDatabase(own.url, 1);
    await eraseExports({ database, clock: systemClock });
    await eraseExports({ database, clock: createManualClock(systemClock.nowMs() + YEAR_MS) });
    const recorded = take();
    await closeDatabase(database);
    expectLittle(recorded);
  });
});

describe('of what the dashboard reads', () => {
  test.each(['of a merchant with exports', 'of a merchant without exports'])(
    '%s, each statement reads little',
    async (title) => {
      const merchantAccountId = title.includes('without') ? 0n : exporter.store.merchantAccountId;
      const { database, take } = openRecordingDatabase(own.url, 1, 'views');
      const { queries } = actAs(database, { personId: exporter.personId }, { prepared: false });
      // Lists are planned by the server's own choice.
      for (const setting of ['plan_cache_mode', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'])
        await sql`reset ${sql.ref(setting)}`.execute(queries);
      for (const allStores of [true, false]) {
        const reader = { merchantAccountId, personId: exporter.personId, allStores };
        await listExports(queries, reader, { before: undefined, limit: 51 });
        await findExport(queries, reader, 'EXP-PAST77');
        await listSeenStores(queries, reader, 1_000);
      }
      await readChunk(queries, { id: 1n, number: 0, now: new Date(systemClock.nowMs()) });
      const recorded = take();
      await closeDatabase(database);
      expectLittle(recorded);
    },
  );
});
