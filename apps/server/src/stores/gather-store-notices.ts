import type { Context } from '../db/context.ts';
import type { Gatherer } from '../mail/gatherer.ts';
import type { MailData } from '../mail/mail.ts';
import { mailedId, mailedTime } from '../mail/mailed-data.ts';
import { readMerchantName } from '../merchants/merchant-sql.ts';
import { findPersonName } from '../people/person-sql.ts';
import { findStoreName } from './store-sql.ts';

/** Data of emails to owners about changes of a store. */

/** Replaces an operator's name: merchants do not learn who operates the service. */
const OPERATOR = 'operator';

type StoreFacts = { merchant: string; store: string; changedBy: string; at: Date };

/** How many more changes the email covers. */
const moreOf = (data: MailData) => Number(data['merged'] ?? 0);

export async function gatherStore(
  { database }: Pick<Context, 'database'>,
  data: MailData,
): Promise<StoreFacts | undefined> {
  const { queries } = database;
  const merchant = await readMerchantName(queries, mailedId(data, 'merchant'));
  const store = await findStoreName(queries, data['store'] ?? '');
  if (merchant === undefined || store === undefined) return undefined;
  const changedBy = (await findPersonName(queries, data['by'] ?? '')) ?? OPERATOR;
  return { merchant, store, changedBy, at: mailedTime(data['at']) };
}

export const gatherApiKeyChanged: Gatherer<'api-key-changed'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, hint: data['hint'] ?? '', oldEndsAt: mailedTime(data['until']) };
};

export const gatherWebhookSecretChanged: Gatherer<'webhook-secret-changed'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, oldEndsAt: mailedTime(data['until']), endpoint: data['endpoint'] ?? null };
};

export const gatherStoreSwitched: Gatherer<'store-switched'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, active: data['active'] === 'yes', more: moreOf(data) };
};

export const gatherBrandChanged: Gatherer<'brand-changed'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, contact: data['contact'] === 'yes', more: moreOf(data) };
};

export const gatherHttpsOnlyOff: Gatherer<'https-only-off'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, more: moreOf(data) };
};

export const gatherPaymentAttached: Gatherer<'payment-attached'> = async (context, data) => {
  const facts = await gatherStore(context, data);
  return facts && { ...facts, invoice: data['invoice'] ?? '', more: moreOf(data) };
};
