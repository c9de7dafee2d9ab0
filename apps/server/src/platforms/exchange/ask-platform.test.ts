import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen, LOOPBACK } from '../../../rig/fakes/listen.ts';
import { createManualClock } from '../../lib/clock.ts';
import type { Dialect } from './ask-platform.ts';
import { askPlatform } from './ask-platform.ts';
import { createRequestGate } from './request-gate.ts';

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ asked: request.url }));
});
let baseUrl = '';
beforeAll(async () => {
  baseUrl = `http://${LOOPBACK}:${await listen(server)}`;
});
afterAll(() => closeServer(server));

const DIALECT: Dialect = { readRefusal: () => undefined, pauseScopeOf: () => undefined, usualPauseMs: 1_000 };

test('a request is signed when its turn has come, not before it waits', async () => {
  const clock = createManualClock(1_000_000);
  const gate = createRequestGate({ clock, wait: (ms) => clock.wait(ms) });
  const quota = { name: 'test', limit: 1, windowMs: 2_000 };
  const ask = () =>
    askPlatform({ clock, gate }, DIALECT, {
      baseUrl,
      charges: [{ quota, weight: 1, by: 'address' }],
      sign: () => ({ path: `/at/${clock.nowMs()}` }),
    });
  await ask();
  const before = clock.nowMs();
  const answer = (await ask()) as { asked: string };
  expect(clock.nowMs()).toBeGreaterThan(before);
  expect(answer.asked).toBe(`/at/${clock.nowMs()}`);
});
