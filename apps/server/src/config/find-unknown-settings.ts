import { isSecret } from './parse-settings.ts';
import type { Variables } from './setting.ts';
import { FILE_END } from './setting.ts';
import { ALL_SETTINGS } from './settings.ts';

/** Settings of the project's scripts. */
const OF_SCRIPTS = /^COUNTERFOIL_LOCAL_/;
/** Largest distance of a suggested name; swapping two letters is two. */
const MOST_DIFFERENT = 3;

/** Edit distance. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [place, letter] of one.split('').entries()) {
    const next = [place + 1];
    for (const [column, against] of other.split('').entries()) {
      const kept = (row[column] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(kept, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

const KNOWN = Object.keys(ALL_SETTINGS).flatMap((name) => (isSecret(name) ? [name, `${name}${FILE_END}`] : [name]));

/** Settings that nothing reads: a misspelt one would silently leave the default. */
export function findUnknownSettings(given: Variables): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('COUNTERFOIL_') && !OF_SCRIPTS.test(name) && !KNOWN.includes(name))
    .map((name) => {
      const nearest = KNOWN.map((known) => ({ known, distance: distanceOf(name, known) }))
        .filter(({ distance }) => distance <= MOST_DIFFERENT)
        .toSorted((one, other) => one.distance - other.distance)[0];
      return nearest === undefined
        ? `${name}: nothing reads it`
        : `${name}: nothing reads it; ${nearest.known} is meant perhaps`;
    });
}
