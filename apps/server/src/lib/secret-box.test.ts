import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { BOX_KEY_BYTES, open, seal } from './secret-box.ts';

const key = randomBytes(BOX_KEY_BYTES);

test('a sealed secret opens with its key and purpose', () => {
  expect(open(key, 'api_key:7', seal(key, 'api_key:7', 'sécret'))).toBe('sécret');
});

test('a sealed secret does not open for another purpose, with another key or after a changed bit', () => {
  const sealed = seal(key, 'api_key:7', 'secret');
  expect(() => open(key, 'api_key:8', sealed)).toThrow(/authenticate/);
  expect(() => open(randomBytes(BOX_KEY_BYTES), 'api_key:7', sealed)).toThrow(/authenticate/);
  for (const position of [0, 12, 28]) {
    const changed = Buffer.from(sealed);
    changed[position] = (changed[position] ?? 0) ^ 1;
    expect(() => open(key, 'api_key:7', changed)).toThrow(/authenticate/);
  }
});
