import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { roleUrl } from '../rig/database/role-database.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { formatVersion, OLDEST_BY_THE_RULE } from '../src/db/compatibility.ts';
import { readMigrations } from '../src/db/migrate.ts';
import { JOB_SCHEMA_VERSION } from '../src/jobs/job.ts';
import { JOBS_OFF_SINCE } from '../src/jobs/job-history.ts';
import type { Outcome } from '../src/operate.ts';
import { operate } from '../src/operate.ts';

/** `rollback check`, as an operator types it, on real databases. */

const migrations = await readMigrations();
const newest = migrations.length;
const oldest = Math.max(OLDEST_BY_THE_RULE, migrations.at(-1)?.compatibleFrom ?? 0);

let own: TestDatabase;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
});
afterEach(() => own.drop());

const check = (to: number | string, ...more: string[]): Promise<Outcome> =>
  operate(['rollback', 'check', '--to', typeof to === 'number' ? formatVersion(to) : to, ...more], {
    COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'),
  });

/** Records a migration that is newer than this version, and that only versions from `needs` on support. */
const applyNext = (needs: number | null) =>
  own.database.pool.query(
    `insert into schema_migrations (version, name, checksum, compatible_from)
     select max(version) + 1, '9999-of-tomorrow.sql', '', $1 from schema_migrations`,
    [needs],
  );

const setJobs = (version: number) => own.database.pool.query('update pgboss.version set version = $1', [version]);

const refusal = (...reasons: RegExp[]) => ({
  code: 1,
  out: '',
  error: expect.toSatisfy((text: string) => reasons.every((one) => one.test(text)), String(reasons)) as string,
});

describe('an earlier version', () => {
  test('can be gone back to when every later migration supports it and so do the job tables', async () => {
    const answer = { schema: 'supported', jobs: `supported (version ${JOB_SCHEMA_VERSION})` };
    for (const version of [oldest, newest - 1, newest]) {
      const { code, out, error } = await check(version, '--json');
      expect({ code, error }).toEqual({ code: 0, error: '' });
      expect(JSON.parse(out)).toEqual({ version: formatVersion(version), ...answer });
    }
  });

  test('cannot be gone back to past a migration that took something away, which is named', async () => {
    await applyNext(newest);
    expect(await check(newest)).toMatchObject({ code: 0 });
    expect(await check(newest - 1)).toEqual(
      refusal(new RegExp(`9999-of-tomorrow.sql needs version ${formatVersion(newest)}`)),
    );
  });

  test('cannot be gone back to past a migration that does not say which versions it supports', async () => {
    await own.database.pool.query('update schema_migrations set compatible_from = null where version = $1', [newest]);
    expect(await check(newest)).toMatchObject({ code: 0 });
    const needed = new RegExp(`${migrations.at(-1)?.name} needs version ${formatVersion(newest)}`);
    expect(await check(newest - 1)).toEqual(refusal(/cannot replace this version/, needed));
    await applyNext(null);
    expect(await check(newest)).toEqual(refusal(/9999-of-tomorrow.sql needs version/));
  });

  test('that would run with jobs off, or not start, beside the job tables is refused with what would happen', async () => {
    for (const version of [JOB_SCHEMA_VERSION + 1, JOB_SCHEMA_VERSION - 1]) {
      await setJobs(version);
      const found = new RegExp(`job tables have version ${version}, and it supports ${JOB_SCHEMA_VERSION}`);
      expect(await check(JOBS_OFF_SINCE)).toEqual(refusal(found, /would run with jobs off/));
      expect(await check(JOBS_OFF_SINCE - 1)).toEqual(refusal(found, /workers and dashboards would not start/));
    }
  });

  test('is refused with all reasons at once', async () => {
    await setJobs(JOB_SCHEMA_VERSION + 1);
    await applyNext(newest);
    expect(await check(newest - 1)).toEqual(refusal(/9999-of-tomorrow/, /job tables have version/));
  });

  test.each(['0.1.0', '0000', '0021', '9998', 'abc', '-1', '', '9d9db2035a1b', '1e1'])(
    'that is given as "%s" is not known, and the answer says what to give',
    async (to) => {
      const { code, out, error } = await operate(['rollback', 'check', `--to=${to}`], {
        COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'),
      });
      expect([code, out]).toEqual([1, '']);
      expect(error).toContain(`from ${formatVersion(OLDEST_BY_THE_RULE)} to ${formatVersion(newest)}`);
    },
  );
});

test('the check writes nothing: it runs on a database that refuses to be written to', async () => {
  const { rows } = await own.database.pool.query<{ name: string }>('select current_database() as name');
  await own.database.pool.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`);
  expect(await check(newest)).toMatchObject({ code: 0 });
});
