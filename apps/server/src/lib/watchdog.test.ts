import { beforeEach, describe, expect, test } from 'vitest';
import { createManualClock } from './clock.ts';
import type { ManualClock } from './clock.ts';
import type { Watchdog } from './watchdog.ts';
import { createWatchdog, expectLife, runBeside, showLife } from './watchdog.ts';

const MAX_SILENCE_MS = 60_000;
const NEVER = new Promise<void>(() => {});

let clock: ManualClock;
let watchdog: Watchdog;
let silences: string[];
beforeEach(() => {
  clock = createManualClock(0);
  silences = [];
  watchdog = createWatchdog({
    clock,
    maxSilenceMs: MAX_SILENCE_MS,
    onSilence: (name, silentMs) => silences.push(`${name} after ${silentMs}`),
  });
});
/** Lets time pass, second by second, as a process that runs sees it. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    watchdog.check();
  }
}

describe('a turn', () => {
  test('that shows no life for as long as it may is reported, once and by name', () => {
    void watchdog.enlist('stuck').turn(() => NEVER);
    pass(29);
    expect(watchdog.silent()).toEqual([]);
    pass(30);
    expect(silences).toEqual([]);
    expect(watchdog.silent()).toEqual(['stuck']);
    pass(10);
    expect(silences).toEqual(['stuck after 60000']);
  });

  test('that shows life now and then may last for ever', async () => {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    void watchdog.enlist('slow').turn(async () => {
      resolve(expectLife());
      await NEVER;
    });
    const beat = await promise;
    for (let times = 0; times < 5; times += 1) {
      pass(50);
      beat();
    }
    expect(silences).toEqual([]);
  });

  test('begins anew: what was before does not count', async () => {
    const watched = watchdog.enlist('resting');
    const first = Promise.withResolvers<void>();
    const turn = watched.turn(() => first.promise);
    pass(50);
    first.resolve();
    await turn;
    void watched.turn(() => NEVER);
    pass(50);
    expect(silences).toEqual([]);
  });
});

test('a rest between turns may be as long as it likes', async () => {
  const watched = watchdog.enlist('hourly');
  await watched.turn(async () => {});
  pass(7_200);
  await expect(watched.turn(() => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
  pass(7_200);
  expect(silences).toEqual([]);
});

test('a process that was stopped for an hour is not blamed for it', () => {
  void watchdog.enlist('stopped').turn(() => NEVER);
  pass(10);
  clock.advance(3_600_000);
  pass(1);
  expect(silences).toEqual([]);
});

test('the life of one says nothing of another', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  void watchdog.enlist('lively').turn(async () => {
    resolve(expectLife());
    await NEVER;
  });
  void watchdog.enlist('stuck').turn(() => NEVER);
  const beat = await promise;
  for (let second = 0; second < 60; second += 1) {
    pass(1);
    beat();
  }
  expect(silences).toEqual(['stuck after 60000']);
});

describe('work beside the turns', () => {
  test('keeps the turn alive that waits for it, in later turns too', async () => {
    const watched = watchdog.enlist('loop');
    const beside = Promise.withResolvers<() => void>();
    await watched.turn(async () => {
      void runBeside('reader', async () => {
        beside.resolve(expectLife());
        await NEVER;
      });
    });
    void watched.turn(() => NEVER);
    const beat = await beside.promise;
    for (let second = 0; second < 120; second += 1) {
      pass(1);
      beat();
    }
    expect(silences).toEqual([]);
  });

  test('is watched by itself: the life of the turns does not hide that it hangs', async () => {
    const watched = watchdog.enlist('loop');
    await watched.turn(async () => {
      void runBeside('reader', () => NEVER);
    });
    for (let second = 0; second < 60; second += 1) {
      await watched.turn(async () => showLife());
      pass(1);
    }
    expect(silences).toEqual(['loop: reader after 60000']);
  });

  test('is forgotten when it ends', async () => {
    const watched = watchdog.enlist('loop');
    await watched.turn(() => runBeside('reader', async () => {}));
    pass(120);
    expect(silences).toEqual([]);
  });

  test('simply runs where nobody watches', async () => {
    showLife();
    expect(await runBeside('reader', async () => 7)).toBe(7);
  });
});
