import { isSecret } from './parse-settings.ts';
import type { Variables } from './setting.ts';
import { FILE_END } from './setting.ts';
import { ALL_SETTINGS } from './settings.ts';

/** Settings of the project's own scripts, which no process reads. */
const OF_SCRIPTS = /^COUNTERFOIL_LOCAL_/;
/** How many letters a name may differ in to be meant: a swap of two letters is two. */
const MOST_DIFFERENT = 3;

/** How many letters must be put in, taken out or changed to make one word of the other. */
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

/** Finds settings that nothing reads: a misspelt one leaves its default in force without a word. */
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
