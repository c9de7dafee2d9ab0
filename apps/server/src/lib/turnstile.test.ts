import { expect, test } from 'vitest';
import { createTurnstile } from './turnstile.ts';

test('callers pass one by one, in the order of asking, and other work runs between two', async () => {
  const turnstile = createTurnstile(10);
  const seen: string[] = [];
  const NAMES = ['a', 'b', 'c'];
  const tick = () => {
    seen.push('-');
    if (seen.length < 2 * NAMES.length) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(
    NAMES.map(async (name) => {
      await turnstile.pass();
      seen.push(name);
    }),
  );
  expect(seen.join('')).toBe('-a-b-c');
});

test('a caller that comes when too many wait is refused at once, and the next one is served again', async () => {
  const turnstile = createTurnstile(2);
  const [first, second, third] = [turnstile.pass(), turnstile.pass(), turnstile.pass()];
  expect(await third).toBe(false);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(await turnstile.pass()).toBe(true);
});

test('callers that come while others are served wait behind them', async () => {
  const turnstile = createTurnstile(1_000);
  const order: number[] = [];
  const ask = async (place: number) => {
    await turnstile.pass();
    order.push(place);
    if (place < 100) await ask(place + 100);
  };
  await Promise.all(Array.from({ length: 50 }, (_, place) => ask(place)));
  expect(order).toEqual([
    ...Array.from({ length: 50 }, (_, place) => place),
    ...Array.from({ length: 50 }, (_, place) => place + 100),
  ]);
});
