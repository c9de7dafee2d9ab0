import type { Role } from '@counterfoil/core/permission.ts';
import pino from 'pino';
import { systemClock } from '../../src/lib/clock.ts';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { addMember } from '../../src/people/add-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { applyMethodChanges } from '../../src/wallets/apply-method-changes.ts';
import { gatherMethodChangeRequested } from '../../src/wallets/gather-method-notices.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { StoreOptions, TestStore } from '../stores/open-store.ts';
import { openStore, TESTER } from '../stores/open-store.ts';
import type { DashboardSite } from './dashboard-site.ts';
import type { RigPerson } from './make-person.ts';
import { makePerson, signInWithApp } from './make-person.ts';

/** A merchant with members who change where its store receives, and the worker that applies what has waited. */

const WORKER = { kind: 'worker', name: 'rig' } as const;

export type MethodMerchant = { store: TestStore; account: string; methods: string; changes: string };

/** Opens a merchant with a live store that receives on BSC, unless the options say otherwise. */
export async function openMerchant(site: DashboardSite, options: StoreOptions = {}): Promise<MethodMerchant> {
  const store = await openStore(site.database, { ring: await openKeyRing(site.path), ...options });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    store.merchantAccountId,
  ]);
  const account = rows[0]?.code ?? '';
  const base = `/accounts/${account}/stores/${store.merchantId}`;
  return { store, account, methods: `${base}/methods`, changes: `${base}/method-changes` };
}

/** A member with an authenticator app who has just proven again who they are. */
export async function openMember(
  site: DashboardSite,
  { store }: MethodMerchant,
  role: Role = 'owner',
): Promise<RigPerson> {
  const person = await makePerson(site);
  const { merchantAccountId } = store;
  await addMember(contextOf(site), TESTER, { merchantAccountId, personCode: person.code, role });
  await signInWithApp(person);
  return person;
}

export const contextOf = ({ as }: DashboardSite) => ({
  database: as('admin'),
  clock: systemClock,
  networks: NETWORKS,
  jobs: undefined,
});

/** The context of a worker's verbs, in the worker's role. */
export const workerContext = ({ as }: DashboardSite) => ({
  database: as('worker'),
  clock: systemClock,
  jobs: undefined,
  log: pino({ level: 'silent' }),
});

/** Lets the time of a merchant's waiting changes come, and applies them as a worker does. */
export async function applyDue(site: DashboardSite, { store }: MethodMerchant): Promise<void> {
  await site.database.pool.query(
    `update method_changes set effective_at = now() - interval '1 second' where store_id = $1 and state = 'pending'`,
    [store.id],
  );
  await applyMethodChanges(workerContext(site), WORKER);
}

type ChangeRow = { code: string; network: string; address: string; state: string; fault: string | null };

export async function changesOf({ database }: DashboardSite, { store }: MethodMerchant): Promise<ChangeRow[]> {
  const { rows } = await database.pool.query<ChangeRow>(
    'select code, network, address, state, fault from method_changes where store_id = $1 order by id',
    [store.id],
  );
  return rows;
}

/** The networks where a store receives now. */
export async function networksOf({ database }: DashboardSite, { store }: MethodMerchant): Promise<string[]> {
  const { rows } = await database.pool.query<{ network: string }>(
    'select network from wallets where store_id = $1 and removed_at is null order by id',
    [store.id],
  );
  return rows.map(({ network }) => network);
}

type MailRow = { template: string; to: string; data: Record<string, string> };

/** Emails about a merchant's payment methods, oldest first. */
export async function mailsOf({ database }: DashboardSite, { store }: MethodMerchant): Promise<MailRow[]> {
  const { rows } = await database.pool.query<MailRow>(
    `select template, to_address as to, data from mails
     where data ->> 'merchant' = $1 and template like 'method%' order by id`,
    [String(store.merchantAccountId)],
  );
  return rows;
}

/** The token of the link that a person gets with the newest announcement of a change, gathered as a worker does. */
export async function lockTokenOf(
  site: DashboardSite,
  merchant: MethodMerchant,
  { mail }: RigPerson,
): Promise<string | undefined> {
  const mails = await mailsOf(site, merchant);
  const announced = mails.findLast(({ template, to }) => template === 'method-change-requested' && to === mail);
  const context = { ...workerContext(site), dashboardUrl: site.dashboardUrl };
  const facts = await gatherMethodChangeRequested(context, announced?.data ?? {}, requireMailAddress(mail));
  return facts?.link.replace(`${site.dashboardUrl}/lock#`, '');
}

/** The oldest address where a store receives. */
export async function addressOf({ database }: DashboardSite, { store }: MethodMerchant): Promise<string> {
  const { rows } = await database.pool.query<{ address: string }>(
    'select address from wallets where store_id = $1 and removed_at is null order by id limit 1',
    [store.id],
  );
  return rows[0]?.address ?? '';
}
