import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { componentsOf, findPackages, licencesOf } from './bundled-package.ts';

/** Bundles the programs of the server with their packages: a start then reads a few files instead of a thousand. */

const SOURCE = join(import.meta.dirname, '../../../apps/server/src');
const PROGRAMS = ['main-api', 'main-worker', 'main-dashboard', 'main-migrate', 'cli'];

export async function bundleServer(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, join(SOURCE, `${name}.ts`)])),
    platform: 'node',
    // Nothing is left out: a module may be imported for its effect, and a call may be made only to see whether it throws.
    treeshake: false,
    onLog: (level, log) => {
      if (level === 'warn' && log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
  });
  await bundle.close();
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  const packages = findPackages(modules);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'LICENSES.txt'), licencesOf(packages));
  await writeFile(join(folder, 'components.cdx.json'), `${JSON.stringify(componentsOf(packages), null, 2)}\n`);
}
