import { existsSync, readFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join, normalize } from 'node:path';

/**
 * Checks that every path named in a document exists: links, and words in code marks that look like a path of this
 * project.
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

/** What is made from the tree, as `pnpm build` does, need not be there. */
function isMade(path: string): boolean {
  return spawnSync('git', ['check-ignore', '--quiet', path], { cwd: ROOT }).status === 0;
}

const missing = documents.flatMap((document) =>
  pathsNamedIn(document)
    .filter((path) => !existsSync(join(ROOT, path)) && !isMade(path))
    .map((path) => `${document} names ${path}, which does not exist.`),
);
for (const line of missing) console.error(line);
if (missing.length > 0) process.exitCode = 1;
else console.log(`${documents.length} documents name only paths that exist.`);
