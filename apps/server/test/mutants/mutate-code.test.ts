import { expect, test } from 'vitest';
import { mutateCode } from '../../rig/mutants/mutate-code.ts';

const sqlOf = (statement: string) => `const q = sql\`${statement}\`;`;

function mutationsOf(text: string): string[] {
  return mutateCode('src/a.ts', text).map(({ kind, mutated }) => `${kind}: ${mutated}`);
}

test.each<[string, string, string[]]>([
  ['a comparison', 'const a = b === c;', ['comparison: const a = b !== c;']],
  ['a bound', 'const a = b <= c;', ['comparison: const a = b < c;']],
  ['a sum', 'const a = b + 1n;', ['operator: const a = b - 1n;']],
  ['no text', "const a = b + 'c';", []],
  ['a condition', 'const a = b && c;', ['logic: const a = b || c;']],
  ['a limit', 'const a = Math.min(b, c);', ['operator: const a = Math.max(b, c);']],
  ['a call that waits', 'await save(tx);', ['statement: ;', 'await: void save(tx);']],
  ['a call among others', 'const a = 1;\nsave();\nconst b = 2;', ['statement: const a = 1; ; const b = 2;']],
  ['no point of a test', "await failpoint('a:b');", []],
  ['no log', 'log.warn({ a: b === c });', []],
  ['no words of an error', 'throw new SourceError(`${a + b}`);', []],
  [
    'an early return',
    'function f() { if (a) return; g(); }',
    ['guard: function f() { ; g(); }', 'statement: function f() { if (a) return; ; }'],
  ],
])('%s is changed', (_title, text, expected) => {
  expect(mutationsOf(text).toSorted()).toEqual(expected.toSorted());
});

test.each<[string, string, string[]]>([
  [
    'a condition of two parts',
    'select 1 from t where a = ${b} and c',
    ['a <> ${b} and c', 'a = ${b} or c', 'a = ${b}'].map((rest) => `select 1 from t where ${rest}`),
  ],
  ['no assignment', 'update t set a = ${b}, c = ${d}', []],
  ['no assignment in a part', 'a = ${b}, c = ${d},', []],
  [
    'a range, but not its and',
    'delete from t where a between ${b} and ${c} and d',
    ['a between ${b} and ${c} or d', 'a between ${b} and ${c}'].map((rest) => `delete from t where ${rest}`),
  ],
  ['a lock', 'select 1 from t for update skip locked', ['select 1 from t', 'select 1 from t for update']],
  ['the larger value', 'select greatest(a, b)', ['select least(a, b)']],
  ['an order', 'select a from t order by b desc', ['select a from t order by b asc']],
  ['an order without a direction', 'select a from t order by b limit 1', ['select a from t order by b desc limit 1']],
  ['a null', 'select a is null', ['select a is not null']],
  ['a distinct', 'select a is distinct from b', ['select a is not distinct from b']],
  ['no named argument', 'select make_interval(secs => 1)', []],
  ['no text of its own', "select 'a = b and c'", []],
])('%s of SQL is changed', (_title, statement, expected) => {
  const found = mutateCode('src/a.ts', sqlOf(statement)).map(({ mutated }) => mutated.replaceAll(/ +`/g, '`'));
  expect(found.toSorted()).toEqual(expected.map(sqlOf).toSorted());
});

test('a mutation names the functions around it, the innermost first', () => {
  const text = 'export function outer() {\n  const inner = () => a === b;\n  return inner;\n}';
  expect(mutateCode('src/a.ts', text)).toMatchObject([{ line: 2, functions: ['inner', 'outer'] }]);
});

test('conditions, locks and orders of the query builder are changed', () => {
  const text = "const q = t.where('a', '>', b).orderBy('a').forUpdate();";
  const expected = [
    "sql comparison: const q = t.where('a', '>=', b).orderBy('a').forUpdate();",
    "sql condition: const q = t.orderBy('a').forUpdate();",
    "sql lock: const q = t.where('a', '>', b).orderBy('a');",
    "sql order: const q = t.where('a', '>', b).orderBy('a', 'desc').forUpdate();",
  ];
  expect(mutationsOf(text).toSorted()).toEqual(expected);
});
