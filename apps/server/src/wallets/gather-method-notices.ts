import { HOUR_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import type { Gatherer } from '../mail/gatherer.ts';
import { mailedId, mailedTime } from '../mail/mailed-data.ts';
import { readMerchantName } from '../merchants/merchant-sql.ts';
import { linkAddress } from '../people/link-address.ts';
import { insertLockLink } from '../people/lock-link-sql.ts';
import { findPersonName } from '../people/person-sql.ts';
import { drawLinkToken, hashLinkToken } from '../people/person.ts';
import { findAnnouncedChange, findAnnouncedWallet } from './method-change-sql.ts';

/** Data of emails to owners about payment methods. */

const LOCK_LINK_HOURS = 336;
const PERSON = 'person:';
const OPERATOR = 'operator';

/** The name of a person; operators are not named to merchants. */
async function nameOf({ database }: Pick<Context, 'database'>, code: string): Promise<string> {
  return (await findPersonName(database.queries, code)) ?? OPERATOR;
}

export const gatherMethodChangeRequested: Gatherer<'method-change-requested'> = async (context, data) => {
  const { database, clock, dashboardUrl } = context;
  const change = await findAnnouncedChange(database.queries, data['change'] ?? '');
  if (change?.state !== 'pending') return undefined;
  const token = drawLinkToken();
  const hash = hashLinkToken(token);
  if (!hash) throw new Error('A link token has an unknown form.');
  const at = new Date(clock.nowMs());
  const expiresAt = new Date(at.getTime() + LOCK_LINK_HOURS * HOUR_MS);
  const personId = mailedId(data, 'person');
  await insertLockLink(
    database.queries,
    { hash, personId, merchantAccountId: mailedId(data, 'merchant'), expiresAt },
    at,
  );
  const { merchant, store, network, address, effectiveAt, requestedBy: asker } = change;
  const requestedBy = asker.startsWith(PERSON) ? await nameOf(context, asker.slice(PERSON.length)) : OPERATOR;
  const link = linkAddress(dashboardUrl, 'lock', token);
  return { merchant, store, network, address, requestedBy, effectiveAt, link };
};

export const gatherMethodChangeCancelled: Gatherer<'method-change-cancelled'> = async (context, data) => {
  const change = await findAnnouncedChange(context.database.queries, data['change'] ?? '');
  if (change?.state !== 'cancelled') return undefined;
  const { merchant, store, network, address } = change;
  const cancelledBy = await nameOf(context, data['by'] ?? '');
  return { merchant, store, network, address, cancelledBy, at: mailedTime(data['at']) };
};

export const gatherMethodChanged: Gatherer<'method-changed'> = async ({ database }, data) => {
  const place = await findAnnouncedWallet(database.queries, mailedId(data, 'wallet'));
  return place && { ...place, at: mailedTime(data['at']) };
};

export const gatherMethodRemoved: Gatherer<'method-removed'> = async (context, data) => {
  const place = await findAnnouncedWallet(context.database.queries, mailedId(data, 'wallet'));
  return place && { ...place, removedBy: await nameOf(context, data['by'] ?? ''), at: mailedTime(data['at']) };
};

export const gatherMethodDelayChanged: Gatherer<'method-delay-changed'> = async ({ database }, data) => {
  const merchant = await readMerchantName(database.queries, mailedId(data, 'merchant'));
  return merchant === undefined
    ? undefined
    : { merchant, hours: Number(data['hours']), from: mailedTime(data['from']) };
};

export const gatherMethodsLocked: Gatherer<'methods-locked'> = async (context, data) => {
  const merchant = await readMerchantName(context.database.queries, mailedId(data, 'merchant'));
  if (merchant === undefined) return undefined;
  return { merchant, lockedBy: await nameOf(context, data['by'] ?? ''), at: mailedTime(data['at']) };
};

export const gatherMethodsUnlocked: Gatherer<'methods-unlocked'> = async (context, data) => {
  const merchant = await readMerchantName(context.database.queries, mailedId(data, 'merchant'));
  if (merchant === undefined) return undefined;
  return { merchant, unlockedBy: await nameOf(context, data['by'] ?? ''), at: mailedTime(data['at']) };
};
