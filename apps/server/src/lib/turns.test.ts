import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('each begins in a turn of its own, in the order of asking, and others are served between two', async () => {
  const turns = createTurns(10);
  const seen: string[] = [];
  const NAMES = ['a', 'b', 'c'];
  const tick = () => {
    seen.push('-');
    if (seen.length < 2 * NAMES.length) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(
    NAMES.map(async (name) => {
      await turns.take();
      seen.push(name);
    }),
  );
  expect(seen.join('')).toBe('-a-b-c');
});

test('whoever comes when too many wait is told so at once, and the next is served again', async () => {
  const turns = createTurns(2);
  const [first, second, third] = [turns.take(), turns.take(), turns.take()];
  expect(await third).toBe(false);
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(await turns.take()).toBe(true);
});

test('those who come while others are served wait behind them', async () => {
  const turns = createTurns(1_000);
  const order: number[] = [];
  const ask = async (place: number) => {
    await turns.take();
    order.push(place);
    if (place < 100) await ask(place + 100);
  };
  await Promise.all(Array.from({ length: 50 }, (_, place) => ask(place)));
  expect(order).toEqual([
    ...Array.from({ length: 50 }, (_, place) => place),
    ...Array.from({ length: 50 }, (_, place) => place + 100),
  ]);
});
