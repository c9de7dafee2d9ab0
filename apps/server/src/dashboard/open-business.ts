import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { openOwnMerchant } from '../merchants/open-own-merchant.ts';
import { countOwnMerchants } from '../merchants/own-merchant-sql.ts';
import { MAX_OWN_MERCHANTS } from '../merchants/own-merchant.ts';
import { mayRegister, requireRegistration } from '../people/registration.ts';
import { createMemberStore } from './create-member-store.ts';
import type { DashboardContext } from './dashboard-context.ts';

type BusinessInput = { name: string; storeName: string };

type OpenedBusiness = { merchantCode: string; merchantId: string };

/** Whether a user can open one more business. */
export async function mayOpenBusiness(context: DashboardContext, { id }: Person): Promise<boolean> {
  const { database, registration, storePlan } = context;
  if (!mayRegister(registration, 'sign-up') || storePlan === undefined) return false;
  return (await countOwnMerchants(database.queries, id)) < MAX_OWN_MERCHANTS;
}

/** Opens a merchant of a user's own with a first test store, where registration is open. */
export async function openBusiness(
  context: DashboardContext,
  actor: Person,
  { name, storeName }: BusinessInput,
): Promise<OpenedBusiness> {
  const { registration, storePlan, approval, shards } = context;
  requireRegistration(registration, 'sign-up');
  if (storePlan === undefined) throw new Refusal('STORES_NOT_OFFERED');
  const { merchantCode } = await openOwnMerchant(context, actor, { name, approval, shards });
  const merchantId = await createMemberStore(context, actor, { merchantCode, name: storeName, live: false });
  return { merchantCode, merchantId };
}
