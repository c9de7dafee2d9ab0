import type pg from 'pg';
import { endWith } from '../lib/end-with.ts';

const noAnswer = () => new Error('The database does not answer.');

/** Creates the function that asks whether the database answers in time. A question that waits is not asked again. */
export function createAskDatabase(pool: pg.Pool, limitMs: number): () => Promise<boolean> {
  let asking: Promise<unknown> | undefined;
  return async () => {
    asking ??= pool.query('select').finally(() => {
      asking = undefined;
    });
    return endWith(AbortSignal.timeout(limitMs), asking, noAnswer).then(
      () => true,
      () => false,
    );
  };
}
