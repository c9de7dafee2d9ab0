import { expect, test } from 'vitest';
import { clientSurroundings } from '../lib/client-address.ts';
import { createCheckTurns } from './check-turns.ts';

const AT_ONCE = 8;
const WAITING = 24;

/** Checks that all wait for a node until `answer` is called; `started` has the names of those that have begun. */
function openChecks() {
  const run = createCheckTurns();
  const started: string[] = [];
  const answers: (() => void)[] = [];
  const check = (name: string, address: string, merchantAccountId: bigint) =>
    run({ around: clientSurroundings(address), merchantAccountId }, () => {
      started.push(name);
      return new Promise<string>((resolve) => answers.push(() => resolve(name)));
    });
  const answerAll = async (checks: readonly Promise<unknown>[]) => {
    const all = Promise.all(checks);
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await new Promise(setImmediate);
    }
    return all;
  };
  return { check, started, answers, answerAll };
}

const times = <Value>(length: number, make: (place: number) => Value) =>
  Array.from({ length }, (_, place) => make(place));

test('a customer is next after a flood of checks from one site, and eight run at once', async () => {
  const { check, started, answers, answerAll } = openChecks();
  const flood = times(100, (place) => check('flood', `198.51.100.${place}`, BigInt(place)));
  const customer = check('customer', '203.0.113.9', 1_000n);
  await new Promise(setImmediate);
  expect(started).toEqual(times(AT_ONCE, () => 'flood'));
  answers.shift()?.();
  await new Promise(setImmediate);
  expect(started.at(-1)).toBe('customer');
  const answered = await answerAll([...flood, customer]);
  expect(answered.filter((one) => one === 'flood').length).toBe(AT_ONCE + WAITING - 1);
});

test('a customer is next after a flood from a hundred sites at the invoices of one merchant', async () => {
  const { check, started, answers, answerAll } = openChecks();
  const flood = times(100, (place) => check('flood', `198.51.${place}.1`, 1n));
  const customer = check('customer', '203.0.113.9', 2n);
  await new Promise(setImmediate);
  answers.shift()?.();
  await new Promise(setImmediate);
  expect(started.at(-1)).toBe('customer');
  await answerAll([...flood, customer]);
});
