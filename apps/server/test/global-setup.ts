import type { TestProject } from 'vitest/node';
import { prepareWithRoles } from '../tools/role-database.ts';
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
  await prepareWithRoles(url);
  project.provide('adminUrl', adminUrl);
  project.provide('template', template);
  return () => dropDatabase(adminUrl, template);
}
