import type { TestProject } from 'vitest/node';
import type { Template } from '../rig/database/template-database.ts';
import { createTemplate, dropTemplate } from '../rig/database/template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    template: Template;
  }
}

/** Migrates one template database; every test file copies it, which takes milliseconds. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
  if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; run the tests with pnpm test.');
  const template = await createTemplate(adminUrl);
  project.provide('adminUrl', adminUrl);
  project.provide('template', template);
  return () => dropTemplate(template);
}
