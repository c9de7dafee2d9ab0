import type { Permission, Role } from '@counterfoil/core/permission.ts';
import { isAllowed, LOOKING } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { beholderOf } from './beholder.ts';
import { findMembership, isWithoutTwoFactor } from './membership-sql.ts';

type MemberInput = {
  merchantCode: string;
  permission: Permission;
  live?: boolean;
};

/** A member, or an operator with a support session, who has the permission. */
type Member = { merchantAccountId: bigint; role: Role | typeof LOOKING; allStores: boolean };

/** Members learn that two-factor is required; a stranger gets the answer for a merchant that does not exist. */
export async function refusalOfStranger(
  { database, clock }: Context,
  actor: Person,
  { merchantCode, otherwise }: { merchantCode: string; otherwise: Refusal },
): Promise<Refusal> {
  const isMember = await isWithoutTwoFactor(database.queries, beholderOf({ clock }, actor), merchantCode);
  return isMember ? new Refusal('TWO_FACTOR_REQUIRED') : otherwise;
}

/** Requires a permission for the merchant as a whole. For a stranger the merchant does not exist. */
export async function requireMember(
  context: Context,
  actor: Person,
  { merchantCode, permission, live }: MemberInput,
): Promise<Member> {
  const member = await findMembership(context.database.queries, beholderOf(context, actor), merchantCode);
  if (!member) {
    const otherwise = new Refusal('MERCHANT_UNKNOWN', { merchant: merchantCode });
    throw await refusalOfStranger(context, actor, { merchantCode, otherwise });
  }
  if (isAllowed(member.role, permission, live)) return member;
  throw member.role === LOOKING ? new Refusal('READ_ONLY_VIEW') : new Refusal('NO_PERMISSION', { permission });
}
