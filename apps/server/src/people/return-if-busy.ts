import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { giveBackAttempts } from './attempt-sql.ts';

/** Checks or hashes a password. If too many wait, the attempt is returned: floods must not lock users out. */
export async function returnIfBusy<Done>(
  queries: Queries,
  reserved: readonly string[],
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'TOO_BUSY') await giveBackAttempts(queries, reserved);
    throw cause;
  }
}
