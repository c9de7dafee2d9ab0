import { expect, test } from 'vitest';
import { nameParameters } from './named-statement.ts';

test('parameters are numbered in the order of their list, wherever and however often the text names them', () => {
  const statement = nameParameters(
    'one',
    ['ids', 'now'],
    'select :now::timestamptz, id from unnest(:ids::bigint[]) where :now < x',
  );
  expect(statement.text).toBe('select $2::timestamptz, id from unnest($1::bigint[]) where $2 < x');
  expect(statement.valuesOf({ now: 'today', ids: [1n] })).toEqual([[1n], 'today']);
});

test.each([
  ['names a parameter that is not listed', ['ids'], 'select :ids, :now'],
  ['does not use one that is listed', ['ids', 'now'], 'select :ids'],
])('a statement whose text %s is refused at once', (_fault, names, text) => {
  expect(() => nameParameters('one', names, text)).toThrow('Statement one and its parameters differ: now.');
});
