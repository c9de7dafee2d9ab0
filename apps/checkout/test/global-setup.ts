import { join } from 'node:path';
import { build } from 'vite';

/** Builds the page first, because the tests check what is shipped. */
export async function setup(): Promise<void> {
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts'), logLevel: 'warn' });
}
