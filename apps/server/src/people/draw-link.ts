import { DAY_MS, HOUR_MS } from '@counterfoil/core/duration.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { LinkSubject } from './link-sql.ts';
import { insertLink } from './link-sql.ts';
import { drawLinkToken, hashLinkToken } from './person.ts';

export const LINK_MS = {
  reset: HOUR_MS,
  first: 7 * DAY_MS,
  verify: 7 * DAY_MS,
  changeMail: DAY_MS,
} as const;

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
