import { existsSync, readFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';

/**
 * Checks that every path named in a document exists: links, and words in code marks that look like a path of this
 * project. Where a quoted text follows the path of a test, the file must have a test with this title.
 */

const ROOT = join(import.meta.dirname, '../../..');
const PATH_IN_CODE = /^(?:\.ci|apps|bin|docs|packages)\/[\w./-]+$/;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const documents = tracked.split('\n').filter((path) => path !== '');

function pathsNamedIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(document), target)));
  const words = [...text.matchAll(/`([^`\n]+)`/g)]
    .map((match) => match[1] ?? '')
    .filter((word) => PATH_IN_CODE.test(word));
  return [...links, ...words];
}

/** Built files, as by `pnpm build`, need not exist. */
function isMade(path: string): boolean {
  return spawnSync('git', ['check-ignore', '--quiet', path], { cwd: ROOT }).status === 0;
}

const TEST_WITH_TITLE = /`([\w./-]+\.test\.tsx?)` "([^"\n]+)"/g;

/** Titles as tables have them: a vertical bar would end the cell. */
const titleIn = (cell: string) => cell.replaceAll('\\|', '|');

type NamedTest = { document: string; path: string; title: string };

const named: NamedTest[] = documents.flatMap((document) =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(TEST_WITH_TITLE)].map(([, path = '', title = '']) => ({
    document,
    path,
    title: titleIn(title),
  })),
);

function hasTitle({ path, title }: NamedTest): boolean {
  const file = join(ROOT, path);
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

const missing = documents.flatMap((document) =>
  pathsNamedIn(document)
    .filter((path) => !existsSync(join(ROOT, path)) && !isMade(path))
    .map((path) => `${document} names ${path}, which does not exist.`),
);
const untested = named
  .filter((one) => !hasTitle(one))
  .map(({ document, path, title }) => `${document} names the test "${title}", which ${path} does not have.`);
for (const line of [...missing, ...untested]) console.error(line);
if (missing.length + untested.length > 0) process.exitCode = 1;
else console.log(`${documents.length} documents name only paths that exist, and ${named.length} tests.`);
