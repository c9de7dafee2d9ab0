/** A change of a source file that a generator made, as offsets in the file's text. */
export type Change = { start: number; end: number; replacement: string; kind: MutationKind };

type MutationKind =
  | 'await'
  | 'comparison'
  | 'guard'
  | 'logic'
  | 'operator'
  | 'sql comparison'
  | 'sql condition'
  | 'sql function'
  | 'sql lock'
  | 'sql logic'
  | 'sql order'
  | 'statement';

export type Mutation = Change & {
  /** Path below `apps/server`. */
  file: string;
  line: number;
  /** The mutated lines joined into one. With the file, they identify a mutation even when line numbers shift. */
  mutated: string;
  /** Names of the functions around the change, the innermost first. */
  functions: readonly string[];
};

const MAX_MUTATED_CHARACTERS = 240;
const LEAST_MUTATED_CHARACTERS = 12;

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** The lines that hold a range, from the start of the first line to the end of the last one. */
export function linesAround(text: string, start: number, end: number): { start: number; end: number } {
  const below = text.indexOf('\n', end);
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: below === -1 ? text.length : below };
}

export function describeMutated(text: string, { start, end, replacement }: Change): string {
  let around = linesAround(text, start, end);
  const own = text.slice(around.start, start) + replacement + text.slice(end, around.end);
  // A removed statement's remains are not unique: the lines around it show its place.
  if (own.trim().length < LEAST_MUTATED_CHARACTERS)
    around = linesAround(text, Math.max(0, around.start - 1), Math.min(text.length, around.end + 1));
  const after = text.slice(around.start, start) + replacement + text.slice(end, around.end);
  return after.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_MUTATED_CHARACTERS);
}

export const keyOf = ({ file, mutated }: Pick<Mutation, 'file' | 'mutated'>) => `${file}: ${mutated}`;
