import pg from 'pg';
import { applyGrants, applyRoles, becomeOwner } from './apply-roles.ts';
import { isNewerSchema, migrate } from './migrate.ts';
import { ensurePartitions } from './partition-sql.ts';

export type Preparation = {
  /** Makes the roles first; the address is then that of somebody who may. */
  roles: boolean;
  now: Date;
  log: (line: string) => void;
};

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'counterfoil-migrate' });
  // A connection that is lost fails the statement under way, which says so.
  client.on('error', () => {});
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

/**
 * Brings a database to the schema of this version, makes the partitions of the coming months, and says what each role may
 * do, unless a later version has said so already. Returns how many migrations were applied.
 */
export async function prepareDatabase(url: string, { roles, now, log }: Preparation): Promise<number> {
  if (roles) await withClient(url, applyRoles);
  const applied = await migrate(url, log);
  await withClient(url, async (client) => {
    const asOwner = await becomeOwner(client);
    if (!(await ensurePartitions(client, now))) log('a table is in use: workers make its partitions later');
    // Grants begin by taking everything away: those of an older version would stop the newer one, whose tables it does not know.
    if (asOwner && (await isNewerSchema(client))) log('the schema is newer than this version: grants stay as they are');
    else if (asOwner) await applyGrants(client);
    else log('there are no roles here: run this with --roles once, as somebody who may make them');
  });
  return applied;
}
