import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { isExchange } from '../networks/exchange-networks.ts';
import { readMethodsLock } from '../merchants/merchant-sql.ts';
import { delayAt } from '../merchants/method-delay.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { addWallet } from '../wallets/add-wallet.ts';
import { cancelMethodChange } from '../wallets/cancel-method-change.ts';
import { lockMethodsByLink } from '../wallets/lock-methods-by-link.ts';
import { lockMethods } from '../wallets/lock-methods.ts';
import type { ListedChange } from '../wallets/method-change-sql.ts';
import { listChanges } from '../wallets/method-change-sql.ts';
import { removeWallet } from '../wallets/remove-wallet.ts';
import { storeOfChange } from '../wallets/store-of-change.ts';
import { unlockMethods } from '../wallets/unlock-methods.ts';
import type { ShownHealth } from '../wallets/wallet-sql.ts';
import { listMethods } from '../wallets/wallet-sql.ts';
import { linkBody } from './link-field.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute, visitorRoute } from './route.ts';

const MAX_CHANGES = 50;
const MAX_METHODS = 500;
const MAX_NETWORK = 40;
const MAX_ADDRESS = 100;
const REMOVED_HERE = 'removed at the dashboard';
const PERSON = 'person:';
const walletBody = z.strictObject({
  network: z.string().min(1).max(MAX_NETWORK),
  address: z.string().trim().min(1).max(MAX_ADDRESS),
});

/** A person's code as in the audit; operators are not named to merchants. */
const viewActor = (name: string) => (name.startsWith(PERSON) ? name.slice(PERSON.length) : 'operator');

const viewChange = (one: ListedChange) => ({
  change: one.code,
  kind: one.kind,
  network: one.network,
  address: one.address,
  state: one.state,
  requested_by: viewActor(one.requestedBy),
  requested_at: unixSeconds(one.requestedAt),
  effective_at: unixSeconds(one.effectiveAt),
  decided_at: one.decidedAt && unixSeconds(one.decidedAt),
  fault: one.fault,
});

const viewHealth = ({ keyHint, checkedAt, keyExpiresAt, fault, stoppedAt }: ShownHealth) => ({
  key_hint: keyHint,
  checked_at: unixSeconds(checkedAt),
  key_expires_at: keyExpiresAt && unixSeconds(keyExpiresAt),
  fault,
  stopped_at: stoppedAt && unixSeconds(stoppedAt),
});

const lockRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'POST', url: '/accounts/:account/lock', summary: 'Lock payment methods', body: NOTHING },
    async ({ context, person, path: { account = '' } }) => {
      const { isNew } = await lockMethods(context, person, { merchantCode: account });
      return { locked: true, new: isNew };
    },
  ),
  personRoute(
    { method: 'POST', url: '/accounts/:account/unlock', summary: 'Unlock payment methods', body: NOTHING },
    async ({ context, person, path: { account = '' } }) => {
      await unlockMethods(context, person, { merchantCode: account });
      return { locked: false };
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/lock',
      summary: 'Lock payment methods by the link in a mail',
      body: linkBody,
      byLink: true,
    },
    async ({ context, visitor, input }) => {
      const { isNew } = await lockMethodsByLink(context, visitor, input.token);
      return { locked: true, new: isNew };
    },
  ),
];

export const methodRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/stores/:store/methods', summary: 'Where a store receives' },
    async ({ context, person, path }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const { id, merchantAccountId } = await storeForMember(context, person, { ...asked, permission: 'method.see' });
      const { queries } = context.views;
      const lock = await readMethodsLock(queries, merchantAccountId);
      const methods = await listMethods(queries, id, MAX_METHODS);
      const changes = await listChanges(queries, id, MAX_CHANGES);
      return {
        locked_at: lock?.lockedAt ? unixSeconds(lock.lockedAt) : null,
        locked_by: lock?.lockedBy ? viewActor(lock.lockedBy) : null,
        delay_hours: lock && delayAt(lock, new Date(context.clock.nowMs())),
        methods: methods.map(({ network, address, addedAt, health }) => {
          const known = context.networks.get(network);
          const kind = known && isExchange(known) ? 'exchange-account' : 'wallet';
          return { network, kind, address, added_at: unixSeconds(addedAt), health: health && viewHealth(health) };
        }),
        changes: changes.map(viewChange),
      };
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/stores/:store/method-changes',
      summary: 'Ask for an address where a store receives',
      body: walletBody,
    },
    async ({ context, person, path, input }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const store = await storeForMember(context, person, { ...asked, permission: 'method.change' });
      const { address, waiting } = await addWallet(context, person, { store, ...input });
      return {
        address,
        change: waiting?.change ?? null,
        effective_at: waiting ? unixSeconds(waiting.effectiveAt) : null,
      };
    },
  ),
  personRoute(
    {
      method: 'DELETE',
      url: '/accounts/:account/stores/:store/methods/:network/:address',
      summary: 'Receive nothing new at a place',
    },
    async ({ context, person, path }) => {
      const asked = { merchantCode: path['account'] ?? '', merchantId: path['store'] ?? '' };
      const store = await storeForMember(context, person, { ...asked, permission: 'method.change' });
      const place = { network: path['network'] ?? '', address: path['address'] ?? '' };
      await removeWallet(context, person, { store, ...place, reason: REMOVED_HERE });
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/method-changes/:change/cancel',
      summary: 'Take a change back that waits',
      body: NOTHING,
    },
    async ({ context, person, path: { account = '', change = '' } }) => {
      const store = await storeOfChange(context, person, { merchantCode: account, change });
      await cancelMethodChange(context, person, { store, change });
    },
  ),
  ...lockRoutes,
];
