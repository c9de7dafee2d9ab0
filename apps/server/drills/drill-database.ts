import pg from 'pg';
import type { Database } from '../src/db/database.ts';
import { closeDatabase, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { ensurePartitions } from '../src/db/partition-store.ts';
import { systemClock } from '../src/lib/clock.ts';
import { withTemporaryDatabase } from '../tools/temporary-database.ts';

/** `url` is a migrated database of the drill's own, `adminUrl` the server it lives on. */
export type DrillDatabase = { url: string; database: Database; adminUrl: string };

const CONNECTIONS = 4;

export async function withDrillDatabase<T>(use: (drill: DrillDatabase) => Promise<T>): Promise<T> {
  const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
  if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the drill with pnpm.');
  return withTemporaryDatabase(adminUrl, async (url) => {
    await migrate(url, () => {});
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await ensurePartitions(client, new Date(systemClock.nowMs()));
    await client.end();
    const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
    try {
      return await use({ url, database, adminUrl });
    } finally {
      await closeDatabase(database);
    }
  });
}
