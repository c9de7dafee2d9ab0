import { parseArgs } from 'node:util';
import type { Dialect } from './count-phrases.ts';
import { countPhrases } from './count-phrases.ts';
import { drawComments } from './draw-comments.ts';
import { countCasts, countCommentLines, findUnusedExports, measureFunctions } from './measure-code.ts';
import type { ParsedFile } from './read-files.ts';
import { CEILINGS, PHRASES } from './phrases.ts';
import { isTest, readFiles } from './read-files.ts';
import type { ProseKind } from './read-prose.ts';
import { PROSE_KINDS, readProse } from './read-prose.ts';

/**
 * Measures the tree: sizes of folders, lengths of files and functions, unused exports, phrases to avoid. `--comments 60
 * --seed 7` prints 60 random comments, to be read without the code below; `--phrases docs` prints each listed phrase.
 */

const SOURCE = 'apps/server/src';
/** Folders that may import the source. */
const REST = ['apps/server/test', 'apps/server/drills', 'apps/server/benches', 'apps/server/demo', 'apps/server/tools'];
const OUTSIDE = ['apps/server/rig', 'e2e'];
const COMMENTED = [SOURCE, 'apps/server/rig', 'apps/server/drills'];
const MAX_SHARE = 0.15;

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const readThere = (folder: string): ParsedFile[] => {
  try {
    return readFiles(folder);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw cause;
  }
};

function folderOf({ path }: ParsedFile): string {
  const [first, second] = path.slice(SOURCE.length + 1).split('/');
  return second === undefined ? '(wiring)' : (first ?? '');
}

function printFolders(files: readonly ParsedFile[]): { folders: number; maxShare: number } {
  const lines = sum(files.map((file) => file.lines));
  const folders = [...Map.groupBy(files, folderOf)]
    .map(([name, own]) => ({ name, files: own.length, lines: sum(own.map((file) => file.lines)) }))
    .toSorted((left, right) => right.lines - left.lines);
  for (const folder of folders) {
    const share = `${((100 * folder.lines) / lines).toFixed(1)} %`;
    const columns = [folder.files, folder.lines].map((value) => String(value).padStart(6)).join('');
    console.log(`${folder.name.padEnd(12)}${columns}${share.padStart(8)}`);
  }
  return { folders: folders.length, maxShare: Math.max(...folders.map((folder) => folder.lines)) / lines };
}

/** Prints listed phrases per kind of text, and each one where there are more than allowed. */
function printPhrases(): Record<ProseKind, number> {
  const dialects = PROSE_KINDS.map((kind): [ProseKind, Dialect] => [kind, countPhrases(readProse(kind), PHRASES)]);
  for (const [kind, { words, found, per10k }] of dialects) {
    console.log(`${kind}: ${found.length} listed phrases in ${words} words, ${per10k} per 10,000`);
    if (per10k <= CEILINGS[kind]) continue;
    process.exitCode = 1;
    console.log(`  more than the ceiling of ${CEILINGS[kind]}: see --phrases ${kind}`);
  }
  return Object.fromEntries(dialects.map(([kind, { per10k }]) => [kind, per10k])) as Record<ProseKind, number>;
}

function measureHouse(): void {
  const source = readFiles(SOURCE);
  const files = source.filter(({ path }) => !isTest(path));
  const { folders, maxShare } = printFolders(files);
  const fileLines = files.map((file) => file.lines);
  const functions = files.flatMap(measureFunctions).toSorted((left, right) => right.lines - left.lines);
  const functionLines = functions.map((one) => one.lines);
  const describe = (values: readonly number[]) =>
    `median ${quantile(values, 0.5)}, p90 ${quantile(values, 0.9)}, max ${Math.max(...values)} lines`;
  console.log(`\n${files.length} files: ${describe(fileLines)}`);
  console.log(`${functions.length} functions: ${describe(functionLines)}`);
  for (const { path, line, lines } of functions.slice(0, 5)) console.log(`  ${lines}  ${path}:${line}`);
  const unused = findUnusedExports(files, [...source, ...[...REST, ...OUTSIDE].flatMap(readThere)]);
  for (const name of unused) console.log(`unused ${name}`);
  const casts = sum(files.map(countCasts));
  const commentShare = sum(files.map(countCommentLines)) / sum(fileLines);
  console.log(`${casts} casts; ${(100 * commentShare).toFixed(1)} % of the lines are comments`);
  if (maxShare > MAX_SHARE || unused.length > 0) process.exitCode = 1;
  const dialect = printPhrases();
  const figures = {
    folders,
    max_share: Number(maxShare.toFixed(3)),
    file_p90: quantile(fileLines, 0.9),
    function_p90: quantile(functionLines, 0.9),
    function_max: Math.max(...functionLines),
    unused_exports: unused.length,
    casts,
    dialect_per_10k: dialect,
  };
  console.log(JSON.stringify(figures));
}

const isProseKind = (text: string): text is ProseKind => PROSE_KINDS.some((kind) => kind === text);

const { values } = parseArgs({
  options: { comments: { type: 'string' }, seed: { type: 'string', default: '1' }, phrases: { type: 'string' } },
});
if (values.phrases !== undefined) {
  if (!isProseKind(values.phrases)) throw new Error(`--phrases takes one of ${PROSE_KINDS.join(', ')}.`);
  for (const { path, phrase, write } of countPhrases(readProse(values.phrases), PHRASES).found)
    console.log(`${path}: "${phrase}": ${write}`);
} else if (values.comments === undefined) measureHouse();
else {
  const commented = COMMENTED.flatMap(readThere).filter(({ path }) => !isTest(path));
  for (const { path, text } of drawComments(commented, Number(values.comments), Number(values.seed)))
    console.log(`${path}\n  ${text}\n`);
}
