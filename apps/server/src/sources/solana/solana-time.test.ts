import { describe, expect, test } from 'vitest';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import type { Asking } from './solana-time.ts';
import { findPositionBefore, positionAtOrBelow } from './solana-time.ts';

const HEAD = 450_000_000;
const NOW = 1_790_000_000;
const MAX_CALLS = 400;

type Chain = {
  slotSeconds: number;
  /** Whether a slot has no block. */
  isSkipped?: (slot: number) => boolean;
  /** First slot that the node still has. */
  first?: number;
  /** Slot up to which the chain's clock was behind, and by how many seconds. */
  behind?: { upTo: number; seconds: number };
};

/** A node that knows only the times of its blocks. */
function nodeOf({ slotSeconds, isSkipped = () => false, first = HEAD - 3_000_000, behind }: Chain) {
  let calls = 0;
  const timeOf = (slot: number) => {
    const drift = behind && slot <= behind.upTo ? behind.seconds : 0;
    return NOW - Math.ceil((HEAD - slot) * slotSeconds) - drift;
  };
  const has = (slot: number) => slot >= first && slot <= HEAD && !isSkipped(slot);
  const answerTo = ({ method, params }: SolanaCall): SolanaAnswer => {
    calls += 1;
    if (method === 'getFirstAvailableBlock') return { result: first, error: null };
    const [from, to] = params as [number, number];
    if (method === 'getBlocks') {
      const slots = Array.from({ length: to - from + 1 }, (_unused, position) => from + position);
      return { result: slots.filter(has), error: null };
    }
    if (has(from)) return { result: timeOf(from), error: null };
    return { error: { code: -32_009, message: 'Slot was skipped, or missing in long-term storage' } };
  };
  const askEach: Asking['askEach'] = async (asked) => asked.map(answerTo);
  const ask: Asking['ask'] = async (asked) =>
    asked.map((call) => {
      const answer = answerTo(call);
      if (answer.error !== null) throw new Error(answer.error.message);
      return answer.result;
    });
  return { asking: { ask, askEach }, timeOf, calls: () => calls };
}

const head = { height: HEAD, time: NOW };
const everyFourth = (slot: number) => slot % 4 === 0;
/** Hours of slots without a block, as after a restart of the network. */
const gap = (slot: number) => slot > HEAD - 40_000 && slot < HEAD - 3_000;

describe('a block that is older than a time', () => {
  test.each([0.4, 0.25, 0.2, 0.1])(
    'a block older than a time is found whatever a slot lasts: %f s',
    async (slotSeconds) => {
      for (const back of [30, 3_600, 86_400]) {
        const { asking, timeOf, calls } = nodeOf({ slotSeconds, isSkipped: everyFourth });
        const time = NOW - back;
        const found = await findPositionBefore(asking, time, head, 0.25);
        expect(found.time).toBeLessThan(time);
        expect(found.time).toBe(timeOf(found.height));
        expect(time - found.time).toBeLessThanOrEqual(Math.max(60, back * 0.1) + slotSeconds);
        expect(calls()).toBeLessThan(MAX_CALLS);
      }
    },
  );

  test('a block older than a time is found though the clock was behind and has caught up since', async () => {
    const upTo = HEAD - 4_000;
    const { asking, timeOf } = nodeOf({ slotSeconds: 0.25, behind: { upTo, seconds: 1_800 } });
    const time = NOW - 1_200;
    const found = await findPositionBefore(asking, time, head, 0.25);
    expect(found.time).toBe(timeOf(found.height));
    expect(found.time).toBeLessThan(time);
  });

  test('a block older than a time is found before a long gap of slots without blocks', async () => {
    const { asking } = nodeOf({ slotSeconds: 0.25, isSkipped: gap });
    const found = await findPositionBefore(asking, NOW - 2_000, head, 0.25);
    expect(found.height).toBeLessThanOrEqual(HEAD - 40_000);
  });

  test('the given block is taken when it is older than the time itself', async () => {
    const { asking, calls } = nodeOf({ slotSeconds: 0.25 });
    expect(await findPositionBefore(asking, NOW + 1, head, 0.25)).toEqual(head);
    expect(calls()).toBe(0);
  });

  test('the oldest block that was kept is taken when only that is old enough', async () => {
    const first = HEAD - 4_100;
    const { asking, timeOf } = nodeOf({ slotSeconds: 0.25, first });
    const found = await findPositionBefore(asking, NOW - 1_020, head, 0.25);
    expect(found).toEqual({ height: first, time: timeOf(first) });
  });

  test('a later block is never taken when nothing old enough was kept', async () => {
    const { asking } = nodeOf({ slotSeconds: 0.25, first: HEAD - 4_000 });
    const finding = findPositionBefore(asking, NOW - 1_000, head, 0.25);
    await expect(finding).rejects.toMatchObject({ kind: 'unsupported' });
  });
});

test('a slot without a block has the time of the block below it', async () => {
  const { asking, timeOf } = nodeOf({ slotSeconds: 0.25, isSkipped: gap });
  expect(await positionAtOrBelow(asking, HEAD - 3_001, 'finalized')).toEqual({
    height: HEAD - 40_000,
    time: timeOf(HEAD - 40_000),
  });
});
