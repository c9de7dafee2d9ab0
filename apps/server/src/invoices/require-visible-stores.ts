import type { LOOKING, Permission, Role } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import type { Database } from '../db/database.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { beholderOf } from '../people/beholder.ts';
import { requireMember } from '../people/require-member.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import { listVisibleStores } from '../stores/member-store-sql.ts';
import { findStoreOfEvent } from '../webhooks/event-view-sql.ts';
import { listStoresOfInvoices } from './attachment-sql.ts';

/** Most stores in one list, by lowest id. Members cannot create more. */
const MAX_LISTED_STORES = 200;

/** `views` is the read-only database for lists. */
export type ViewsContext = Context & { views: Database };

type VisibleInput = {
  merchantCode: string;
  permission: Permission;
  merchantId?: string | undefined;
  live?: boolean | undefined;
  /** Invoices of the found stores, however many. */
  transIds?: readonly string[];
  /** An event of the found stores. */
  eventId?: string | undefined;
};

type Visible = {
  merchantAccountId: bigint;
  role: Role | typeof LOOKING;
  /** By their ids. */
  stores: ReadonlyMap<bigint, VisibleStore>;
};

/** Finds a merchant's stores that a person may see; a given store must be one of them. */
export async function requireVisibleStores(
  context: ViewsContext,
  actor: Person,
  { merchantCode, permission, merchantId, live, transIds = [], eventId }: VisibleInput,
): Promise<Visible> {
  const { queries } = context.views;
  const { merchantAccountId, role } = await requireMember(context, actor, { merchantCode, permission });
  const first = transIds.length === 0 ? [] : await listStoresOfInvoices(queries, merchantAccountId, transIds);
  const ofEvent = eventId === undefined ? undefined : await findStoreOfEvent(queries, merchantAccountId, eventId);
  if (ofEvent !== undefined) first.push(ofEvent);
  const asked = { merchantAccountId, merchantId, live, first, limit: MAX_LISTED_STORES };
  const stores = await listVisibleStores(queries, beholderOf(context, actor), asked);
  if (merchantId !== undefined && stores.length === 0) throw new Refusal('STORE_UNKNOWN', { store: merchantId });
  return { merchantAccountId, role, stores: new Map(stores.map((store) => [store.id, store])) };
}
