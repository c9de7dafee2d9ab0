import type { Queries } from '../db/database.ts';
import { Refusal } from '../lib/refusal.ts';
import { giveBackAttempts } from './attempt-sql.ts';

/**
 * Checks or hashes a password in an attempt that was counted. An attempt that is refused because too many passwords wait
 * is returned to its budgets: nothing was guessed, and a flood of others must not close the sign-in of a user.
 */
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
