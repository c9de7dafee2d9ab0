import { expect, test } from 'vitest';
import type { Database } from '../db/database.ts';
import { createManualClock } from '../lib/clock.ts';
import { createAskDatabaseHealth } from './health-routes.ts';

test('however often readiness is asked for, the database is asked once a second', async () => {
  const clock = createManualClock(0);
  const answers: PromiseWithResolvers<never>[] = [];
  const connect = () => {
    const answer = Promise.withResolvers<never>();
    answers.push(answer);
    return answer.promise;
  };
  const askHealth = createAskDatabaseHealth({ pool: { connect } } as unknown as Database, clock);
  const askOften = () => Promise.all(Array.from({ length: 200 }, () => askHealth()));
  const first = askOften();
  await expect.poll(() => answers.length).toBe(1);
  clock.advance(10_000);
  const meanwhile = askOften();
  answers[0]?.reject(new Error('away'));
  expect(new Set([...(await first), ...(await meanwhile)].flatMap(({ faults }) => faults))).toEqual(
    new Set(['database does not answer']),
  );
  expect(answers).toHaveLength(1);
  clock.advance(999);
  await askOften();
  expect(answers).toHaveLength(1);
  clock.advance(1);
  void askOften();
  await expect.poll(() => answers.length).toBe(2);
});
