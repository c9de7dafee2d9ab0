import { expect, test } from 'vitest';
import { MAX_DEPTH, parseExactJson } from './exact-json.ts';

const names = new Set(['amount']);

test.each<[string, unknown]>([
  ['{"amount":50}', { amount: '50' }],
  ['{"amount":1000000.0000000000000001}', { amount: '1000000.0000000000000001' }],
  ['{"amount":1e3}', { amount: '1e3' }],
  ['{"amount":-0}', { amount: '-0' }],
  ['{"amount":"50"}', { amount: '50' }],
  ['{"amount":[5],"other":7}', { amount: [5], other: 7 }],
  ['{"nested":{"amount":7},"amount":5.50}', { nested: { amount: 7 }, amount: '5.50' }],
  ['{"amount":5.50,"nested":{"amount":7}}', { nested: { amount: 7 }, amount: '5.50' }],
  ['{"amount":1,"amount":2.50}', { amount: '2.50' }],
  ['[1]', [1]],
  ['null', null],
])('%s keeps the digits that were written', (text, value) => {
  expect(parseExactJson(text, names)).toEqual(value);
});

const nested = (levels: number, amount: string) =>
  `{"amount":${amount},"x":${'['.repeat(levels - 1)}"[{\\"["${']'.repeat(levels - 1)}}`;

test.each(['5', '"5"'])('nesting is bounded alike for the amount %s, and brackets in text are no nesting', (amount) => {
  expect(parseExactJson(nested(MAX_DEPTH, amount), names)).toMatchObject({ amount: '5' });
  expect(() => parseExactJson(nested(MAX_DEPTH + 1, amount), names)).toThrow(SyntaxError);
});
