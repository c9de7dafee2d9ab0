import { parse } from 'yaml';

/** Packages of the lockfile, with whether anything that runs in production needs them. */
export type LockedPackage = { name: string; version: string; production: boolean };

type Needs = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };
type Importer = {
  dependencies?: Record<string, { version: string }>;
  optionalDependencies?: Record<string, { version: string }>;
};
type Lockfile = {
  lockfileVersion: string;
  importers: Record<string, Importer>;
  packages: Record<string, unknown>;
  snapshots: Record<string, Needs | null>;
};

/** The key of a snapshot: an alias says the name of its package in its version. */
const keyOf = (name: string, version: string) => (/^\d/.test(version) ? `${name}@${version}` : version);
/** The key of a package is that of its snapshot without the peers in brackets. */
const packageOf = (key: string) => key.replace(/\(.*$/, '');

/** Snapshots reached from all workspaces' dependencies, except development ones. */
function findProduction({ importers, snapshots }: Lockfile): ReadonlySet<string> {
  const open = Object.values(importers).flatMap(({ dependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([, { version }]) => !version.startsWith('link:'))
      .map(([name, { version }]) => keyOf(name, version)),
  );
  const seen = new Set<string>();
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    const needs = snapshots[key];
    const all = { ...needs?.dependencies, ...needs?.optionalDependencies };
    open.push(...Object.entries(all).map(([name, version]) => keyOf(name, version)));
  }
  return new Set([...seen].map(packageOf));
}

export function readLockedPackages(text: string): LockedPackage[] {
  const lockfile = parse(text) as Lockfile;
  if (lockfile.lockfileVersion !== '9.0') throw new Error(`The lockfile is of version ${lockfile.lockfileVersion}.`);
  const production = findProduction(lockfile);
  return Object.keys(lockfile.packages).map((key) => {
    const at = key.lastIndexOf('@');
    return { name: key.slice(0, at), version: key.slice(at + 1), production: production.has(key) };
  });
}
