import { describe, expect, test } from 'vitest';
import { fc } from '../../../rig/fakes/seeded-properties.ts';
import { MAX_QUESTIONS, readWholeRange } from './read-whole-range.ts';

const LIMIT = 10;

/** A platform with rows at these times, that cuts its answers off at one end or the other. */
function openList(times: readonly number[], newestFirst = false, excludesEnds = false) {
  const questions: [number, number][] = [];
  const margin = excludesEnds ? 1 : 0;
  return {
    questions,
    ask: (fromMs: number, toMs: number) => {
      questions.push([fromMs, toMs]);
      const found = times.filter((time) => time >= fromMs + margin && time <= toMs - margin);
      const ordered = found.toSorted((left, right) => (newestFirst ? right - left : left - right)).slice(0, LIMIT);
      return Promise.resolve({ listed: ordered.length, rows: ordered });
    },
  };
}

const question = (fromMs: number, toMs: number) => ({ fromMs, toMs, limit: LIMIT, maxSpanMs: 10_000, slackMs: 1 });

describe('a range is read whole', () => {
  test('whatever the times of its rows are, no row is missing, from either end that answers are cut at', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 900, max: 2_100 }), { maxLength: 25 }),
        fc.boolean(),
        fc.boolean(),
        async (times, newestFirst, excludesEnds) => {
          const { ask } = openList(times, newestFirst, excludesEnds);
          const rows = await readWholeRange({ ...question(1_000, 2_000), ask });
          const inside = [...new Set(rows)].filter((time) => time >= 1_000 && time <= 2_000);
          expect(inside.toSorted((left, right) => left - right)).toEqual(
            times.filter((time) => time >= 1_000 && time <= 2_000).toSorted((left, right) => left - right),
          );
        },
      ),
    );
  });

  test('one question is enough when the answer is not full', async () => {
    const { ask, questions } = openList([1_500]);
    expect(await readWholeRange({ ...question(1_000, 2_000), ask })).toEqual([1_500]);
    expect(questions).toEqual([[999, 2_001]]);
  });

  test('a range that is longer than the platform answers for is asked in parts that touch', async () => {
    const { ask, questions } = openList([9_998, 9_999, 25_000]);
    const rows = await readWholeRange({ ...question(0, 25_000), ask });
    expect(rows).toEqual(expect.arrayContaining([9_998, 9_999, 25_000]));
    expect(questions.every(([fromMs, toMs]) => toMs - fromMs <= 10_000)).toBe(true);
  });
});

describe('a range is not read at all', () => {
  test('when a full answer is for one millisecond: nobody can say what it lacks', async () => {
    const { ask } = openList(Array.from({ length: LIMIT }, () => 1_500));
    await expect(readWholeRange({ ...question(1_500, 1_500), ask })).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('when it takes too many questions; the range that it suggests can be read', async () => {
    const times = Array.from({ length: 1_000 }, (_, place) => 1_000 + place * 8);
    const { ask, questions } = openList(times);
    const failure = await readWholeRange({ ...question(1_000, 9_000), ask }).catch(
      (cause: { kind: string; suggestedRange: number }) => cause,
    );
    expect(questions.length).toBe(MAX_QUESTIONS);
    expect(failure).toMatchObject({ kind: 'range' });
    const { suggestedRange } = failure as { suggestedRange: number };
    expect(await readWholeRange({ ...question(1_000, 1_000 + suggestedRange - 1), ask })).not.toHaveLength(0);
  });
});
