import { pino } from 'pino';
import { expect, test } from 'vitest';
import { steadyClock } from './clock.ts';
import { runLoop } from './loop.ts';
import { createWatchdog } from './watchdog.ts';

const log = pino({ level: 'silent' });

test('a loop goes on at once while there is work, survives failures and ends when told', async () => {
  const stop = new AbortController();
  const outcomes: (boolean | Error)[] = [true, new Error('once'), true, false, true];
  const seen: number[] = [];
  await runLoop({
    name: 'test',
    log,
    signal: stop.signal,
    watchdog: createWatchdog({ clock: steadyClock, maxSilenceMs: 60_000, onSilence: () => {} }),
    idleMs: 1,
    body: async () => {
      const outcome = outcomes[seen.length];
      seen.push(seen.length);
      if (outcome === undefined) {
        stop.abort();
        return false;
      }
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  expect(seen).toHaveLength(outcomes.length + 1);
});
