import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from './require-member.ts';
import { keptSince } from './security-event.ts';
import type { ListedEvent } from './security-event-sql.ts';
import { listTeamEvents } from './security-event-sql.ts';

type EventsInput = {
  merchantCode: string;
  before: Date;
  limit: number;
};

/** Lists the sign-ins and security events of a merchant's members since they joined, newest first, for its owners. */
export async function listMemberEvents(
  context: Context,
  actor: Person,
  { merchantCode, before, limit }: EventsInput,
): Promise<(ListedEvent & { person: string })[]> {
  const { database, clock } = context;
  const permission = 'security.see';
  const { merchantAccountId, allStores } = await requireMember(context, actor, { merchantCode, permission });
  if (!allStores) throw new Refusal('NO_PERMISSION', { permission });
  const since = keptSince(new Date(clock.nowMs()));
  return listTeamEvents(database.queries, merchantAccountId, { since, before, limit });
}
