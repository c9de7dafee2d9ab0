import type { Context } from '../db/context.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { DashboardError } from './dashboard-error.ts';

/** The requested merchant and store, by public code. */
type Named = { account?: string | undefined; store?: string | undefined };

const PERMISSION = 'invoice.see';

async function requireAccess(context: Context, person: Person, { account = '', store }: Named): Promise<void> {
  const asked = { merchantCode: account, permission: PERMISSION } as const;
  if (store === undefined) await requireMember(context, person, asked);
  else await storeForMember(context, person, { ...asked, merchantId: store });
}

/**
 * Maps a failed request. Row security hides the merchant from a member who was removed during the request, so its next
 * statement fails like a bug: the member gets the refusal of their next request instead.
 */
export async function afterLostAccess(
  context: Context,
  person: Person,
  { named, cause }: { named: Named; cause: unknown },
): Promise<unknown> {
  if (cause instanceof Refusal || cause instanceof DashboardError || named.account === undefined) return cause;
  try {
    await requireAccess(context, person, named);
    return cause;
  } catch (refusal) {
    return refusal instanceof Refusal ? refusal : cause;
  }
}
