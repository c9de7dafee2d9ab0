import { readdirSync, readFileSync } from 'node:fs';

/** The operator's guide, and the commands in it. */

const ROOT = new URL('../../../../docs/', import.meta.url);
const PAGES = [
  'operations.md',
  ...readdirSync(new URL('operations/', ROOT)).map((name) => `operations/${name}`),
].filter((name) => name.endsWith('.md'));

export type GuideCommand = { page: string; line: string };

const BLOCK = /^ *```sh\n([\s\S]*?)^ *```$/gm;
/** A comment behind a command: two spaces or more, then a hash. */
const COMMENT = /(?:^|\s{2,}|\s)#\s.*$/;

/** The commands of one page, in their order: every line of its shell blocks, without comments. Pure. */
function commandsOf(page: string, text: string): GuideCommand[] {
  return [...text.matchAll(BLOCK)]
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(COMMENT, '').trim())
    .filter((line) => line !== '')
    .map((line) => ({ page, line }));
}

export const readGuide = (): GuideCommand[] =>
  PAGES.flatMap((page) => commandsOf(page, readFileSync(new URL(page, ROOT), 'utf8')));

const WORDS = /"([^"]*)"|(\S+)/g;

/** The words of a line as a shell would pass them on; quotation marks are the only thing that the guide uses. Pure. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(WORDS)].map(([, quoted, plain = '']) => quoted ?? plain);
