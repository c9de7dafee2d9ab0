import { expect, test } from 'vitest';
import { formatAnswer, jsonAnswer } from './command.ts';

/** Answers that hold names which merchants, users and strangers chose. */

const NAME = 'Shop\u001b[2J\nactive  true\u009b1A\u202e';
const SHOWN = 'Shop\\u001b[2J\\u000aactive  true\\u009b1A\\u202e';
const UNPRINTED = /(?!\n)\p{C}/u;

test('an answer for people shows control characters of a name as escapes, on one line', () => {
  expect(formatAnswer([{ name: NAME, active: false }])).toBe(`name    ${SHOWN}\nactive  false`);
  const nested = formatAnswer({ stores: [{ name: NAME }], details: { reason: NAME }, [NAME]: [NAME] });
  expect(nested.split('\n')).toHaveLength(4);
  expect(nested).not.toMatch(UNPRINTED);
});

test('an answer as JSON has the same name, and no character that a terminal acts on', () => {
  const text = jsonAnswer({ name: NAME, [NAME]: 1n });
  expect(text).not.toMatch(UNPRINTED);
  expect(JSON.parse(text)).toEqual({ name: NAME, [NAME]: '1' });
});
