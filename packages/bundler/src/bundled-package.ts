import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A package whose code is in a bundle. Its licence must be passed on, and image scanners look for its name and version. */
type BundledPackage = { name: string; version: string; licence: string; text: string };

const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;

const readManifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

/** The package of a folder. Packages contain further manifests without a name, which only say how files are read. */
function findPackage(folder: string): BundledPackage | undefined {
  if (basename(folder) === 'node_modules') return undefined;
  const manifest = join(folder, 'package.json');
  const { name, version, license } = existsSync(manifest) ? readManifest(manifest) : {};
  if (typeof name !== 'string' || typeof version !== 'string') return findPackage(dirname(folder));
  const file = readdirSync(folder).find((one) => LICENCE_FILE.test(one));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return { name, version, licence: typeof license === 'string' ? license : '', text };
}

/** The packages that these modules come from, each once. */
export function findPackages(modules: readonly string[]): BundledPackage[] {
  const folders = new Set(modules.filter((path) => path.includes('/node_modules/')).map((path) => dirname(path)));
  const found = [...folders].flatMap((folder) => findPackage(folder) ?? []);
  const packages = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...packages.values()].toSorted((one, other) => one.name.localeCompare(other.name));
}

/** The licences of all packages, as one text. */
export const licencesOf = (packages: readonly BundledPackage[]): string =>
  packages
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);

/** The packages as a CycloneDX list, which image scanners read to find known vulnerabilities. */
export const componentsOf = (packages: readonly BundledPackage[]) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: packages.map(({ name, version, licence }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { name: licence } }],
  })),
});
