import type { ParsedFile } from './read-files.ts';

/** Draws comments at random, always the same ones for a seed. */

const STEP = 0x6d_2b_79_f5;
const RANGE = 2 ** 32;

/** Random numbers from 0 to 1 that a seed fixes. */
function createDraws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + STEP) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  };
}

function textOf(value: string): string {
  const lines = value.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd());
  return lines.join(' ').trim();
}

export type DrawnComment = { path: string; text: string };

export function drawComments(files: readonly ParsedFile[], count: number, seed: number): DrawnComment[] {
  const all = files.flatMap(({ path, comments }) => comments.map(({ value }) => ({ path, text: textOf(value) })));
  const draw = createDraws(seed);
  const drawn: DrawnComment[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(Math.floor(draw() * all.length), 1));
  return drawn;
}
