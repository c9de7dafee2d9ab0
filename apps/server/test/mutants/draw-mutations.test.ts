import { expect, test } from 'vitest';
import { chooseSuites } from '../../rig/mutants/choose-suites.ts';
import { editOf, orderMutations } from '../../rig/mutants/draw-mutations.ts';
import { mutateCode } from '../../rig/mutants/mutate-code.ts';

const TEXT = 'function f() {\n  if (a === b) return 1;\n  return 2;\n}\nfunction g() {\n  if (a === b) return 1;\n}\n';

test('an edit has as many lines as make it unique in its file', () => {
  const [, second] = mutateCode('src/a.ts', TEXT).filter(({ kind }) => kind === 'comparison');
  if (!second) throw new Error('There are two comparisons.');
  const { find, replace } = editOf(TEXT, second);
  expect(find).toBe('function g() {\n  if (a === b) return 1;');
  expect(replace).toBe('function g() {\n  if (a !== b) return 1;');
});

test('a seed fixes the order, and another mutation does not change the order of the others', () => {
  const mutations = mutateCode('src/a.ts', 'const x = a === b;\nconst y = c < d;\nconst z = e > f;\n');
  const ordered = orderMutations(mutations, 7).map(({ mutated }) => mutated);
  expect(orderMutations(mutations.toReversed(), 7).map(({ mutated }) => mutated)).toEqual(ordered);
  const fewer = orderMutations(mutations.slice(1), 7).map(({ mutated }) => mutated);
  expect(fewer).toEqual(ordered.filter((mutated) => fewer.includes(mutated)));
});

const record = (suite: string, calls: Record<string, number>, passed = true) => ({
  suite,
  passed,
  durationMs: 1_000,
  calls: { 'src/a.ts': calls },
});

test('the files that call the changed function are chosen, the one that is most about it first', () => {
  const records = [
    record('wide', { f: 1, g: 9, h: 9, i: 9 }),
    record('narrow', { f: 5 }),
    record('other', { g: 5 }),
    record('red', { f: 9 }, false),
  ];
  const chosen = (functions: string[], limit?: number) =>
    chooseSuites(records, { file: 'src/a.ts', functions }, limit).map(({ suite }) => suite);
  expect(chosen(['inner', 'f'])).toEqual(['narrow', 'wide']);
  expect(chosen([])).toEqual(['narrow', 'other', 'wide']);
  expect(chosen([], 1)).toEqual(['narrow']);
});
