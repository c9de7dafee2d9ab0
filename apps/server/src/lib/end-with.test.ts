import { expect, test } from 'vitest';
import { endWith } from './end-with.ts';

const late = () => new Error('too late');
const never = () => new Promise<string>(() => {});

test('work that ends before its signal has its own outcome', async () => {
  const { signal } = new AbortController();
  expect(await endWith(signal, Promise.resolve('done'), late)).toBe('done');
  await expect(endWith(signal, Promise.reject(new Error('own fault')), late)).rejects.toThrow('own fault');
});

test('work that heeds no signal ends with it all the same', async () => {
  const controller = new AbortController();
  const ended = endWith(controller.signal, never(), late);
  controller.abort();
  await expect(ended).rejects.toThrow('too late');
  await expect(endWith(controller.signal, never(), late)).rejects.toThrow('too late');
});
