import { expect, test } from 'vitest';
import { refuseWitnesses } from './witness.ts';

const two = { first: 'a', second: 'b', trusted: false, finalized: 9 };
const one = { ...two, second: 'a' };

test.each([
  ['two providers are believed among the stored headers', two, true, true],
  ['two providers are believed below every stored header', two, false, true],
  ['one provider is believed among the stored headers', one, true, true],
  ['one provider is not believed below every stored header', one, false, false],
  [
    'one provider is believed below every stored header when an operator says so',
    { ...one, trusted: true },
    false,
    true,
  ],
])('%s', (_rule, witnesses, hasHeaders, believed) => {
  expect(refuseWitnesses(witnesses, hasHeaders) === undefined).toBe(believed);
});
