import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { withTemporaryDatabase } from '../../rig/database/temporary-database.ts';
import { systemClock } from '../lib/clock.ts';
import { prepareDatabase } from './prepare-database.ts';

test('a database that does not store text as UTF-8 is refused before anything is created in it', async () => {
  const encoding = "template template0 encoding 'SQL_ASCII' locale 'C'";
  await withTemporaryDatabase(
    inject('adminUrl'),
    async (url) => {
      const asked = { roles: false, now: new Date(systemClock.nowMs()), installJobs: async () => true, log: () => {} };
      await expect(prepareDatabase(url, asked)).rejects.toMatchObject({
        code: 'DATABASE_ENCODING_UNFIT',
        details: { encoding: 'SQL_ASCII' },
      });
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
      await client.end();
      expect(rows).toEqual([]);
    },
    encoding,
  );
});
