import { expect, test } from 'vitest';
import { createManualClock } from '../lib/clock.ts';
import { agreeOnDepth } from './agree-on-depth.ts';

type Follower = Parameters<typeof agreeOnDepth>[0];
type Cursor = Parameters<typeof agreeOnDepth>[1];

const TIER = 'conf:12';
/** Height that the other provider calls settled. */
const OTHERS = 89;

function createReader() {
  const asked: unknown[] = [];
  const block = { height: 100, hash: '0x', parentHash: '0x', time: 0 };
  const source = {
    providers: ['one', 'two'],
    network: { policy: [{ belowUsd: null, tier: TIER }] },
    heads: async (pass: unknown) => {
      asked.push(pass);
      return { by: 'two', latest: block, finalized: block };
    },
  };
  const memory = {
    tiers: [TIER],
    heads: { by: 'one', latest: block, finalized: block },
    othersDepth: undefined,
    othersSilentSince: new Map(),
    alarmed: new Set(),
  };
  const follower = { clock: createManualClock(0), source, memory } as unknown as Follower;
  return {
    asked,
    agree: (height: number, rewinds = 0n) => agreeOnDepth(follower, { rewinds } as Cursor, TIER, height),
  };
}

test('a depth on which another provider agreed is not asked for again', async () => {
  const { agree, asked } = createReader();
  expect([await agree(80), await agree(80), await agree(OTHERS)]).toEqual([80, 80, OTHERS]);
  expect(asked).toEqual([{ not: 'one' }]);
});

test('another provider is asked again above the depth on which it agreed, and after a rewind', async () => {
  const { agree, asked } = createReader();
  await agree(80);
  expect(await agree(OTHERS + 1)).toBe(OTHERS);
  expect(asked).toHaveLength(2);
  expect(await agree(80, 1n)).toBe(80);
  expect(asked).toHaveLength(3);
});
