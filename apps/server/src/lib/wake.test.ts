import { expect, test } from 'vitest';
import { createWake } from './wake.ts';

const HOUR_MS = 3_600_000;
const { signal: never } = new AbortController();

async function hasEnded(wait: Promise<void>): Promise<boolean> {
  const turn = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([wait.then(() => true), turn]);
}

test('a ring ends the wait that is under way, and that one alone', async () => {
  const wake = createWake();
  const first = wake.wait(HOUR_MS, never);
  expect(await hasEnded(first)).toBe(false);
  wake.ring();
  expect(await hasEnded(first)).toBe(true);
  const second = wake.wait(HOUR_MS, never);
  expect(await hasEnded(second)).toBe(false);
  wake.ring();
  await second;
});

test('a ring that nobody waits for ends the next wait at once, unless it is forgotten before', async () => {
  const wake = createWake();
  wake.ring();
  wake.ring();
  expect(await hasEnded(wake.wait(HOUR_MS, never))).toBe(true);
  wake.ring();
  wake.reset();
  const wait = wake.wait(HOUR_MS, never);
  expect(await hasEnded(wait)).toBe(false);
  wake.ring();
  await wait;
});

test('a wait ends by itself when its time is over', async () => {
  await createWake().wait(1, never);
});

test('a signal ends the wait that is under way and every later one', async () => {
  const wake = createWake();
  const stop = new AbortController();
  const wait = wake.wait(HOUR_MS, stop.signal);
  stop.abort();
  await wait;
  expect(await hasEnded(wake.wait(HOUR_MS, stop.signal))).toBe(true);
});
