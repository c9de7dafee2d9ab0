import { expect, test } from 'vitest';
import { refuseWitnesses } from './witness.ts';

const two = { first: 'a', second: 'b', trusted: false, finalized: 9 };
const one = { ...two, second: 'a' };

test.each([
  ['two providers are believed among the headers that we hold', two, true, true],
  ['two providers are believed below all that we hold', two, false, true],
  ['one provider is believed among the headers that we hold', one, true, true],
  ['one provider is not believed below all that we hold', one, false, false],
  ['one provider is believed there when an operator says so', { ...one, trusted: true }, false, true],
])('%s', (_rule, witnesses, held, believed) => {
  expect(refuseWitnesses(witnesses, held) === undefined).toBe(believed);
});
