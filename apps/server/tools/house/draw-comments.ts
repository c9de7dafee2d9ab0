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

/** Comments of a file; lines that follow each other directly are one comment. */
function commentsOf({ text, comments }: ParsedFile): string[] {
  const joined: { value: string; end: number }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = joined.at(-1);
    const isNext = type === 'Line' && last !== undefined && /^\n[ \t]*$/.test(text.slice(last.end, start));
    if (isNext) Object.assign(last, { value: `${last.value}\n${value}`, end });
    else joined.push({ value, end });
  }
  return joined.map(({ value }) => textOf(value));
}

export type DrawnComment = { path: string; text: string };

export function drawComments(files: readonly ParsedFile[], count: number, seed: number): DrawnComment[] {
  const all = files.flatMap((file) => commentsOf(file).map((text) => ({ path: file.path, text })));
  const draw = createDraws(seed);
  const drawn: DrawnComment[] = [];
  while (drawn.length < count && all.length > 0) drawn.push(...all.splice(Math.floor(draw() * all.length), 1));
  return drawn;
}
