import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { findMembership } from './membership-sql.ts';
import type { Permission, Role } from './permission.ts';
import { isAllowed } from './permission.ts';

type MemberInput = { merchantCode: string; permission: Permission };

/** A member of a merchant, who may do what they asked for. */
type Member = { merchantAccountId: bigint; role: Role; allStores: boolean };

/**
 * Finds the merchant of a code for a person who is a member and may do what the permission says for the merchant as a
 * whole. For a stranger the merchant is as unknown as one that does not exist.
 */
export async function requireMember(
  { database }: Pick<Context, 'database'>,
  actor: Person,
  { merchantCode, permission }: MemberInput,
): Promise<Member> {
  const member = await findMembership(database.queries, actor.id, merchantCode);
  if (!member) throw new Refusal('MERCHANT_UNKNOWN', { merchant: merchantCode });
  if (!isAllowed(member.role, permission)) throw new Refusal('NO_PERMISSION', { permission });
  return member;
}
