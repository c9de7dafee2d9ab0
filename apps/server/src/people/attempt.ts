import { createHash } from 'node:crypto';
import type { Queries } from '../db/database.ts';
import { clientBucket } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import type { AttemptBudget } from './attempt-sql.ts';
import { reserveAttempt } from './attempt-sql.ts';

/** Budgets of guesses, by what is guessed and by where the guesses come from. */

/** Wrong guesses at one person's password or second factor. */
const SECRET_BUDGET: AttemptBudget = { most: 5, windowMinutes: 15 };
/** Sign-ins and links tried from one network address, whoever they concern. */
const ORIGIN_BUDGET: AttemptBudget = { most: 50, windowMinutes: 15 };

/** The budget of sign-ins with a mail address, whether somebody has the address or not. */
export function signInSubject(mailNormal: string): string {
  return `sign-in:${createHash('sha256').update(mailNormal).digest('base64url')}`;
}

export const factorSubject = (personId: bigint) => `factor:${personId}`;

/** Counts a guess before it is checked; refuses it when the budget is used up. */
export async function requireAttempt(queries: Queries, subject: string): Promise<void> {
  if (await reserveAttempt(queries, subject, SECRET_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: SECRET_BUDGET.windowMinutes });
}

/** Counts a guess of one network address, IPv6 addresses by the network of one customer. */
export async function requireOrigin(queries: Queries, address: string): Promise<void> {
  if (await reserveAttempt(queries, `from:${clientBucket(address)}`, ORIGIN_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: ORIGIN_BUDGET.windowMinutes });
}
