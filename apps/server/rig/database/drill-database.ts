import type { Database } from '../../src/db/database.ts';
import type { OpenAs } from './role-database.ts';
import { openWithRoles, prepareWithRoles } from './role-database.ts';
import { withTemporaryDatabase } from './temporary-database.ts';

/**
 * A migrated database for one drill: `url` is the database's URL, `adminUrl` the URL of the database server. Both URLs,
 * and `database`, connect as the administrator, who prepares and judges; processes connect in their roles.
 */
export type DrillDatabase = { url: string; database: Database; as: OpenAs; adminUrl: string };

const CONNECTIONS = 4;

export async function withDrillDatabase<T>(use: (drill: DrillDatabase) => Promise<T>): Promise<T> {
  const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
  if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the drill with pnpm.');
  return withTemporaryDatabase(adminUrl, async (url) => {
    await prepareWithRoles(url);
    const { database, as, close } = openWithRoles(url, CONNECTIONS, 'counterfoil-drill');
    try {
      return await use({ url, database, as, adminUrl });
    } finally {
      await close();
    }
  });
}
