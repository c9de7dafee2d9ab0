import type { Context } from '../db/context.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireLink } from '../people/attempt.ts';
import { findUndoLink } from '../people/link-sql.ts';
import { hashLinkToken } from '../people/person.ts';

export type UndoLink = { hash: Buffer; personId: bigint; earlierId: bigint };

/** Finds a valid undo link; counts unknown ones. */
export async function requireUndoLink({ database, clock }: Context, actor: Visitor, token: string): Promise<UndoLink> {
  await requireLink(database.queries, actor.address, token);
  const hash = hashLinkToken(token);
  const link = hash && (await findUndoLink(database.queries, hash, new Date(clock.nowMs())));
  if (!link) throw new Refusal('LINK_INVALID');
  return { hash, ...link };
}
