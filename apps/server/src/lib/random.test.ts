import { expect, test } from 'vitest';
import { randomText, UPPER_ALPHANUMERIC } from './random.ts';

test('a million identifiers hold no repeat and every character is equally likely', () => {
  const total = 1_000_000;
  const length = 15;
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  for (let drawn = 0; drawn < total; drawn += 1) {
    const text = randomText(UPPER_ALPHANUMERIC, length);
    seen.add(text);
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(seen.size).toBe(total);
  const expected = (total * length) / UPPER_ALPHANUMERIC.length;
  let chiSquare = 0;
  for (const character of UPPER_ALPHANUMERIC) chiSquare += ((counts.get(character) ?? 0) - expected) ** 2 / expected;
  // 35 degrees of freedom: a fair source never gets there, and one that prefers four characters to the others by 1 % does.
  expect(chiSquare).toBeLessThan(250);
});
