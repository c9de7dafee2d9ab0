/**
 * Compatibility: which versions run on which schema. A version is the number of the newest migration that it knows. A
 * migration that only adds (`-- expand`) suits every version before it; one that takes away (`-- contract: 0027`) names
 * the oldest version that does not need what is gone. See docs/decisions/0026-versions-run-on-newer-schemas.md.
 */

/**
 * The last migration that does not begin with `-- expand` or `-- contract`. No earlier version was tried with the
 * migrations up to this one, so each of them suits only versions that know it.
 */
const LAST_BEFORE_THE_RULE = 21;
/** The oldest version of which it is certain that it runs on newer schemas that support it. */
export const OLDEST_BY_THE_RULE = LAST_BEFORE_THE_RULE + 1;
const KIND = /^-- (?:expand|contract: (\d{4}))\n/;

/** The oldest version that can run on a schema after this migration; `before` is the oldest that could before it. */
export function readCompatibleFrom(file: { version: number; name: string; sql: string }, before: number): number {
  if (file.version <= LAST_BEFORE_THE_RULE) return file.version;
  const kind = KIND.exec(file.sql);
  if (!kind) throw new Error(`Migration ${file.name} begins with neither "-- expand" nor "-- contract: NNNN".`);
  const named = kind[1] === undefined ? before : Number(kind[1]);
  if (named > file.version) throw new Error(`Migration ${file.name} names a version that is newer than itself.`);
  return Math.max(before, named);
}

type KnownMigration = { version: number; name: string; checksum: string };

/**
 * `compatibleFrom` is null where the process that applied the migration did not store it: then only versions that know
 * the migration can run.
 */
export type AppliedMigration = KnownMigration & { compatibleFrom?: number | null };

/** State of a schema for this version. `compatible`: the schema is newer, but this version can run on it. */
export type SchemaState = 'current' | 'behind' | 'compatible' | 'newer' | 'changed';

export type SchemaVerdict = {
  state: SchemaState;
  /** The name of a migration that this version knows with different content. */
  changed?: string;
  /** The newest migration that this version does not know, and the oldest version that runs with it. */
  unknown?: { name: string; compatibleFrom: number };
};

/**
 * Compares the migrations of a database with those that this version knows, and decides whether the version may run on
 * it.
 */
export function judgeSchema(known: readonly KnownMigration[], applied: readonly AppliedMigration[]): SchemaVerdict {
  const changed = applied.find(({ version, checksum }) => {
    const twin = known[version - 1];
    return twin !== undefined && twin.checksum !== checksum;
  });
  if (changed) return { state: 'changed', changed: changed.name };
  const newest = applied.at(-1);
  const latest = newest?.version ?? 0;
  if (!newest || latest < known.length) return { state: known.length === 0 ? 'current' : 'behind' };
  if (latest === known.length) return { state: 'current' };
  const unknown = applied.filter(({ version }) => version > known.length);
  const compatibleFrom = Math.max(...unknown.map((one) => one.compatibleFrom ?? one.version));
  const state = known.length >= compatibleFrom ? 'compatible' : 'newer';
  return { state, unknown: { name: newest.name, compatibleFrom } };
}

const DIGITS = 4;

/** Writes a version as in the names of migrations. */
export function formatVersion(version: number): string {
  return String(version).padStart(DIGITS, '0');
}

/** A migration that keeps earlier versions from running, and the oldest version that can run on the schema. */
type Obstacle = { migration: string; needs: number };

/** Finds the first migration after which a version cannot run; undefined if the version can run. */
export function findObstacle(applied: readonly AppliedMigration[], version: number): Obstacle | undefined {
  const later = applied.filter((one) => one.version > version);
  const needed = (one: AppliedMigration) => one.compatibleFrom ?? one.version;
  const first = later.find((one) => needed(one) > version);
  return first && { migration: first.name, needs: Math.max(...later.map(needed)) };
}
