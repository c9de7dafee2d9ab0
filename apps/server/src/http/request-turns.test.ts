import { expect, test } from 'vitest';
import { createRequestTurns } from './request-turns.ts';

const ATTACKER = '198.51.100.1';
const NEIGHBOUR = '203.0.113.9';
const nextTurn = () => new Promise(setImmediate);
/** Lets everything happen that waits for no event. */
const settle = () => new Promise((resolve) => process.nextTick(resolve));

function openTurns() {
  const takeTurn = createRequestTurns();
  const begun: string[] = [];
  const refused: string[] = [];
  const send = async (address: string) => void ((await takeTurn(address)) ? begun : refused).push(address);
  return { send, begun, refused };
}

test('four requests begin in a turn of the event loop, and a neighbour comes before the rest of a flood', async () => {
  const { send, begun } = openTurns();
  for (let count = 0; count < 20; count += 1) void send(ATTACKER);
  void send(NEIGHBOUR);
  await settle();
  expect(begun).toEqual(Array.from({ length: 4 }, () => ATTACKER));
  await nextTurn();
  expect(begun).toHaveLength(8);
  expect(begun[4]).toBe(NEIGHBOUR);
});

test('a flood that no longer fits is refused, and a neighbour is not', async () => {
  const { send, begun, refused } = openTurns();
  const flood = Array.from({ length: 2_500 }, () => send(ATTACKER));
  const neighbour = send(NEIGHBOUR);
  await settle();
  expect(refused).toHaveLength(2_500 - 2_000 - 4 + 1);
  await neighbour;
  expect(begun.length).toBeLessThanOrEqual(8);
  expect(begun).toContain(NEIGHBOUR);
  await Promise.all(flood);
  expect(begun).toHaveLength(2_000 + 4);
});

test('requests that come one after another do not wait', async () => {
  const { send, begun } = openTurns();
  for (let count = 0; count < 5; count += 1) {
    await send(NEIGHBOUR);
    await nextTurn();
  }
  expect(begun).toHaveLength(5);
});
