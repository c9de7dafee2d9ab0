import type { OpenedDatabase } from './role-database.ts';
import { openWithRoles } from './role-database.ts';
import type { Template } from './template-database.ts';
import { copyTemplate } from './template-database.ts';

export type TestDatabase = Pick<OpenedDatabase, 'database' | 'as'> & {
  /** URL of the database as the administrator; processes that are given this URL still connect in their roles. */
  url: string;
  drop(): Promise<void>;
};

export async function openTestDatabase(template: Template, connections = 4): Promise<TestDatabase> {
  const { url, drop } = await copyTemplate(template, 'test');
  const { database, as, close } = openWithRoles(url, connections, 'counterfoil-test');
  return {
    database,
    url,
    as,
    drop: async () => {
      await close();
      await drop();
    },
  };
}
