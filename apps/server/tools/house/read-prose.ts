import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'oxc-parser';
import { Visitor } from 'oxc-parser';
import type { ParsedFile } from './read-files.ts';
import { readFiles } from './read-files.ts';

/** Reads everything that people read: texts of the apps, emails, documents and comments. */

export const PROSE_KINDS = ['ui', 'emails', 'docs', 'comments'] as const;
export type ProseKind = (typeof PROSE_KINDS)[number];
export type Prose = { path: string; text: string };

const ROOT = join(import.meta.dirname, '../../../..');
const MAX_OUTPUT_BYTES = 4_000_000;
const COMMENTED = [
  ...['src', 'rig', 'test', 'drills', 'benches', 'demo', 'tools'].map((folder) => `apps/server/${folder}`),
  ...['src', 'test', 'preview', 'tools'].map((folder) => `apps/checkout/${folder}`),
  ...['src', 'test', 'preview'].map((folder) => `apps/dashboard/${folder}`),
  'packages/core/src',
  'e2e',
];

/** Strings and templates of a file, without the paths of imports and the keys of objects. */
function textsOf({ path, program }: ParsedFile): Prose[] {
  const names = new Set<number>();
  const found: { start: number; text: string }[] = [];
  const skip = (node: Node | null) => {
    if (node !== null) names.add(node.start);
  };
  new Visitor({
    ImportDeclaration: ({ source }) => skip(source),
    Property: ({ key }) => skip(key),
    Literal: (node) => {
      if (typeof node.value === 'string') found.push({ start: node.start, text: node.value });
    },
    TemplateLiteral: ({ start, quasis }) => {
      found.push({ start, text: quasis.map(({ value }) => value.cooked ?? '').join('…') });
    },
  }).visit(program);
  return found.filter(({ start }) => !names.has(start)).map(({ text }) => ({ path, text }));
}

const FENCE = /^(?:```|~~~).*?^(?:```|~~~)$/gms;

function readDocuments(): Prose[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return listed
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8').replaceAll(FENCE, '') }));
}

const commentsOf = ({ path, comments }: ParsedFile): Prose[] => comments.map(({ value }) => ({ path, text: value }));

export function readProse(kind: ProseKind): Prose[] {
  switch (kind) {
    case 'ui':
      return [
        ...readFiles('apps/dashboard/src/language/locales/en'),
        ...readFiles('apps/checkout/src/locales', (path) => path.endsWith('/en.ts')),
        ...readFiles('apps/server/src/dashboard', (path) => path.endsWith('/dashboard-error.ts')),
      ].flatMap(textsOf);
    case 'emails':
      return readFiles('apps/server/src/mail/words', (path) => /\/en(?:-[\w-]+)?\.ts$/.test(path)).flatMap(textsOf);
    case 'docs':
      return readDocuments();
    case 'comments':
      return COMMENTED.flatMap((folder) => readFiles(folder)).flatMap(commentsOf);
  }
}
