import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import type { Comment, Program } from 'oxc-parser';

/** Reads the repository's files and parses them. */

export type ParsedFile = {
  /** Path from the root of the repository. */
  path: string;
  text: string;
  lines: number;
  program: Program;
  comments: readonly Comment[];
};

const ROOT = join(import.meta.dirname, '../../../..');
const GENERATED = new Set(['apps/server/src/db/tables.ts']);

export const isTest = (path: string) => path.endsWith('.test.ts');

function parseFile(path: string): ParsedFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  return { path, text, lines: text.split('\n').length - 1, program, comments };
}

/** All files below a folder that are not generated and that `isWanted`. */
export function readFiles(folder: string, isWanted: (path: string) => boolean = () => true): ParsedFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
    .filter((path) => !GENERATED.has(path) && isWanted(path))
    .toSorted()
    .map(parseFile);
}

/** Line, from 1, of a position in a text. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
