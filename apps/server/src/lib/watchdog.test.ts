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
/** Lets time pass second by second, as a running process sees it. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    watchdog.check();
  }
}

describe('a watched run', () => {
  test('a run that shows no life for as long as it may is reported, once and by name', () => {
    void watchdog.enlist('stuck').run(() => NEVER);
    pass(29);
    expect(watchdog.silent()).toEqual([]);
    pass(30);
    expect(silences).toEqual([]);
    expect(watchdog.silent()).toEqual(['stuck']);
    pass(10);
    expect(silences).toEqual(['stuck after 60000']);
  });

  test('a run that shows life now and then may last for ever', async () => {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    void watchdog.enlist('slow').run(async () => {
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

  test('a run begins anew: what was before does not count', async () => {
    const watched = watchdog.enlist('sleeping');
    const first = Promise.withResolvers<void>();
    const run = watched.run(() => first.promise);
    pass(50);
    first.resolve();
    await run;
    void watched.run(() => NEVER);
    pass(50);
    expect(silences).toEqual([]);
  });
});

test('the sleep between runs may be as long as it likes', async () => {
  const watched = watchdog.enlist('hourly');
  await watched.run(async () => {});
  pass(7_200);
  await expect(watched.run(() => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
  pass(7_200);
  expect(silences).toEqual([]);
});

test('a process that was stopped for an hour is not blamed for it', () => {
  void watchdog.enlist('stopped').run(() => NEVER);
  pass(10);
  clock.advance(3_600_000);
  pass(1);
  expect(silences).toEqual([]);
});

test('the life of one loop says nothing of another', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  void watchdog.enlist('lively').run(async () => {
    resolve(expectLife());
    await NEVER;
  });
  void watchdog.enlist('stuck').run(() => NEVER);
  const beat = await promise;
  for (let second = 0; second < 60; second += 1) {
    pass(1);
    beat();
  }
  expect(silences).toEqual(['stuck after 60000']);
});

describe('work beside a watched run', () => {
  test('work beside a run keeps the run alive that waits for it, in later runs too', async () => {
    const watched = watchdog.enlist('loop');
    const beside = Promise.withResolvers<() => void>();
    await watched.run(async () => {
      void runBeside('reader', async () => {
        beside.resolve(expectLife());
        await NEVER;
      });
    });
    void watched.run(() => NEVER);
    const beat = await beside.promise;
    for (let second = 0; second < 120; second += 1) {
      pass(1);
      beat();
    }
    expect(silences).toEqual([]);
  });

  test('work beside a run is watched by itself: the signs of life of the run do not hide that it hangs', async () => {
    const watched = watchdog.enlist('loop');
    await watched.run(async () => {
      void runBeside('reader', () => NEVER);
    });
    for (let second = 0; second < 60; second += 1) {
      await watched.run(async () => showLife());
      pass(1);
    }
    expect(silences).toEqual(['loop: reader after 60000']);
  });

  test('work beside a run is forgotten when it ends', async () => {
    const watched = watchdog.enlist('loop');
    await watched.run(() => runBeside('reader', async () => {}));
    pass(120);
    expect(silences).toEqual([]);
  });

  test('work beside a run simply runs where nobody watches', async () => {
    showLife();
    expect(await runBeside('reader', async () => 7)).toBe(7);
  });
});
