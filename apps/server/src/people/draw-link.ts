import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { LinkSubject } from './link-sql.ts';
import { insertLink } from './link-sql.ts';
import { drawLinkToken, hashLinkToken } from './person.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long links can be followed that ask for nothing else that tells their end. */
export const LINK_MS = {
  /** The link of somebody who has forgotten their password. */
  reset: HOUR_MS,
  /** The link for the first password of a person whom an operator made. */
  first: 7 * DAY_MS,
  /** The link by which somebody proves the mail address that they sign up with. */
  verify: 7 * DAY_MS,
  /** The link by which a person proves their new mail address. */
  changeMail: DAY_MS,
} as const;

/** Draws the token of a new link and keeps its hash. */
export async function drawLink(
  queries: Queries | Tx,
  { subject, expiresAt }: { subject: LinkSubject; expiresAt: Date },
  at: Date,
): Promise<string> {
  const token = drawLinkToken();
  const hash = hashLinkToken(token);
  if (!hash) throw new Error('A link token has an unknown form.');
  await insertLink(queries, { hash, subject, expiresAt }, at);
  return token;
}
