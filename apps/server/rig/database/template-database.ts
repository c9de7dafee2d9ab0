import { prepareWithRoles } from './role-database.ts';
import { createDatabase, dropDatabase, temporaryName } from './temporary-database.ts';

/** A migrated database to copy others from: a copy takes milliseconds, a migration takes seconds. */
export type Template = { adminUrl: string; name: string };

export async function createTemplate(adminUrl: string): Promise<Template> {
  const name = temporaryName('template');
  await prepareWithRoles(await createDatabase(adminUrl, name));
  return { adminUrl, name };
}

export async function dropTemplate({ adminUrl, name }: Template): Promise<void> {
  await dropDatabase(adminUrl, name);
}

export type Copy = { url: string; drop: () => Promise<void> };

export async function copyTemplate({ adminUrl, name }: Template, purpose: string): Promise<Copy> {
  const copy = temporaryName(purpose);
  const url = await createDatabase(adminUrl, copy, name);
  return { url, drop: () => dropDatabase(adminUrl, copy) };
}
