import { describe, expect, test } from 'vitest';
import { hideOperators, hideOperatorsInJson, isOfOperator } from './audit-for-merchants.ts';

describe('merchants are not told who runs the service', () => {
  test.each([
    ['cli:jane', 'wallet.add', true],
    ['person:PER-1', 'merchant.look', true],
    ['person:PER-1', 'merchant.look_end', true],
    ['person:PER-1', 'wallet.add', false],
    ['worker:w', 'wallet.add', false],
  ])('%s who did %s is an operator: %s', (actor, action, expected) =>
    expect(isOfOperator(actor, action)).toBe(expected),
  );

  test.each<[unknown, unknown]>([
    [{ by: 'cli:jane' }, { by: 'operator' }],
    [
      { before: { by: ['cli:jane.doe', 'PER-1'] }, number: 1 },
      { before: { by: ['operator', 'PER-1'] }, number: 1 },
    ],
    [{ note: 'say "cli:x" \\' }, { note: 'say "cli:x" \\' }],
    [
      { by: 'cli:"jane\\"', also: 'b' },
      { by: 'operator', also: 'b' },
    ],
    [{}, {}],
  ])('%j is told as %j, as an object and as text', (details, expected) => {
    expect(hideOperators(details)).toEqual(expected);
    expect(JSON.parse(hideOperatorsInJson(JSON.stringify(details)))).toEqual(expected);
  });

  test('and text keeps every digit', () => {
    expect(hideOperatorsInJson('{"n": 1000000.0000000000000001, "by": "cli:jane"}')).toBe(
      '{"n": 1000000.0000000000000001, "by": "operator"}',
    );
  });
});
