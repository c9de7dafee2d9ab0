import { describe, expect, test } from 'vitest';
import type { Taken } from './admission.ts';
import { judgeRate } from './admission.ts';

const limits = { burst: 5, sustained: 60 };
const resets = { burstResetSeconds: 1, sustainedResetSeconds: 42 };

function taken(requested: number, burstUsed: number, sustainedUsed: number): Taken {
  return { limits, requested, burstUsed, sustainedUsed, ...resets };
}

describe('one request in a statement', () => {
  test.each<[string, Taken, string, number, string | undefined]>([
    ['the first shows the burst window, which has fewer left', taken(1, 1, 1), '5', 4, undefined],
    ['the fifth passes and leaves none', taken(1, 5, 5), '5', 0, undefined],
    ['the sixth in a second is a burst refusal', taken(1, 6, 5), '5', 0, 'burst'],
    ['the sixtieth in a minute passes', taken(1, 2, 60), '60', 0, undefined],
    ['the sixty-first in a minute is a sustained refusal', taken(1, 1, 61), '60', 0, 'sustained'],
    ['a burst refusal comes before a sustained one', taken(1, 6, 60), '5', 0, 'burst'],
    ['equally few left: the window that lasts longer', taken(1, 1, 56), '60', 4, undefined],
  ])('%s', (_rule, counters, limit, remaining, exceeded) => {
    const verdict = judgeRate(counters, 1);
    expect(verdict.exceeded).toBe(exceeded);
    expect(verdict.window).toMatchObject({ limit: Number(limit), remaining });
  });
});

test('requests of one statement pass in their order: seven on a fresh bucket give five and two burst refusals', () => {
  const verdicts = [1, 2, 3, 4, 5, 6, 7].map((place) => judgeRate(taken(7, 7, 5), place));
  expect(verdicts.map((one) => one.exceeded)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'burst',
    'burst',
  ]);
  expect(verdicts.map((one) => one.window.remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
});

test('a statement that meets both limits: two pass, three are sustained refusals, the rest burst refusals', () => {
  // 58 requests of the minute are used; five of seven pass the burst limit, and the minute has room for two of these.
  const verdicts = [1, 2, 3, 4, 5, 6, 7].map((place) => judgeRate(taken(7, 7, 63), place).exceeded);
  expect(verdicts).toEqual([undefined, undefined, 'sustained', 'sustained', 'sustained', 'burst', 'burst']);
});
