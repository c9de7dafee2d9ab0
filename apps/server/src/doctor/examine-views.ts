import { parseSettings } from '../config/parse-settings.ts';
import { DOCTOR_SETTINGS } from '../config/process-settings.ts';
import type { Variables } from '../config/setting.ts';
import type { Database } from '../db/database.ts';
import { closeDatabase, openDatabase } from '../db/database.ts';
import { reachOneDatabase } from '../db/require-one-database.ts';
import type { Finding } from './finding.ts';
import { fine, reasonOf, wrong } from './finding.ts';

const CHECK = 'views';
const MEND =
  'Let COUNTERFOIL_VIEWS_DATABASE_URL name the same database on its primary, with the role counterfoil_views.';

type Reached = {
  database: Database | undefined;
  /** Limit of a connection. A busy machine is no fault; a wrong address mostly fails immediately. */
  waitMs: number;
};

/** Checks that the dashboard's lists come from the main database, where their address is known. */
export async function examineViews({ database, waitMs }: Reached, variables: Variables): Promise<Finding[]> {
  const url = parseSettings(DOCTOR_SETTINGS, variables).values.COUNTERFOIL_VIEWS_DATABASE_URL;
  if (database === undefined || url === undefined) return [];
  const options = { connections: 1, name: 'counterfoil-doctor', settingsOnRole: true, waitMs };
  const views = openDatabase({ url, ...options }, () => {});
  try {
    return (await reachOneDatabase(database.pool, views.pool))
      ? [fine(CHECK, 'Lists and everything else are one database.')]
      : [wrong(CHECK, 'Lists come from another database: the settings name two databases.', MEND)];
  } catch (cause) {
    return [wrong(CHECK, `The database of lists cannot be asked: ${reasonOf(cause)}`, MEND)];
  } finally {
    await closeDatabase(views);
  }
}
