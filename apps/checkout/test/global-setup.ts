import { join } from 'node:path';
import { build } from 'vite';

/** The tests look at what is shipped, so it is built first. */
export async function setup(): Promise<void> {
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts'), logLevel: 'warn' });
}
