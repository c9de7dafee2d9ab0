import type { Database } from '../../src/db/database.ts';
import type { OpenAs } from './role-database.ts';
import { openWithRoles, prepareWithRoles } from './role-database.ts';
import { withTemporaryDatabase } from './temporary-database.ts';

/**
 * `url` is a migrated database of the drill's own, `adminUrl` the server it lives on. Both, and `database`, are of the server's
 * administrator, for what a drill prepares and judges; processes are started in their roles.
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
