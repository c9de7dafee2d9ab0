import type { TestProject } from 'vitest/node';
import pg from 'pg';
import { migrate } from '../src/db/migrate.ts';
import { ensurePartitions } from '../src/db/partition-store.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createDatabase, dropDatabase, temporaryName } from '../tools/temporary-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    template: string;
  }
}

/** Migrates one template database; every test file clones it, which takes milliseconds. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
  if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the tests with pnpm test.');
  const template = temporaryName('template');
  const url = await createDatabase(adminUrl, template);
  await migrate(url, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await ensurePartitions(client, new Date(systemClock.nowMs()));
  await client.end();
  project.provide('adminUrl', adminUrl);
  project.provide('template', template);
  return () => dropDatabase(adminUrl, template);
}
