import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { drawComments } from './draw-comments.ts';
import { countCasts, countCommentLines, findUnusedExports, measureFunctions } from './measure-code.ts';
import type { ParsedFile } from './read-files.ts';

function parsed(path: string, text: string): ParsedFile {
  const { program, comments } = parseSync(path, text);
  return { path, text, lines: text.split('\n').length - 1, program, comments };
}

test('functions with a block are measured, nested ones too, and arrow functions that only return an expression are not', () => {
  const file = parsed(
    'a.ts',
    'const one = () => 1;\nfunction two() {\n  return [1].map((x) => {\n    return x;\n  });\n}\n',
  );
  expect(measureFunctions(file).map(({ line, lines }) => [line, lines])).toEqual([
    [2, 5],
    [3, 3],
  ]);
});

test('type assertions are counted as casts, and `as const` is not', () => {
  const text = `const a = b as unknown as C;\nconst d = [1] as const;\nconst e = f!;\nimport { g as h } from './g.ts';\n`;
  expect(countCasts(parsed('a.ts', text))).toBe(3);
});

test('an export is used when any other file imports it by its name, as a type or renamed', () => {
  const text = 'export const one = 1;\nexport type Two = 2;\nexport function three() {}\nexport class FourError {}\n';
  const file = parsed('src/a.ts', text);
  const user = parsed('src/b/c.ts', "import { one as uno } from '../a.ts';\nimport type { Two } from '../a.ts';\n");
  expect(findUnusedExports([file], [file, user])).toEqual(['src/a.ts three', 'src/a.ts FourError']);
  const wholly = parsed('src/d.ts', "import * as a from './a.ts';\n");
  expect(findUnusedExports([file], [file, wholly])).toEqual([]);
});

test('lines of comments are counted, and the same seed draws the same comments', () => {
  const file = parsed('a.ts', '/** One. */\n// Two.\n/**\n * Three,\n * in two lines.\n */\nconst a = 1;\n');
  expect(countCommentLines(file)).toBe(6);
  const texts = (seed: number) => drawComments([file], 2, seed).map(({ text }) => text);
  expect(texts(7)).toEqual(texts(7));
  expect(drawComments([file], 9, 1).map(({ text }) => text)).toContain('Three, in two lines.');
});
