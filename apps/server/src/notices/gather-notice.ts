import { formatDecimal } from '@counterfoil/core/amount.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import type { Gatherer } from '../mail/gatherer.ts';
import type { MailData } from '../mail/mail.ts';
import { mailedId } from '../mail/mailed-data.ts';
import { findToken } from '../networks/network.ts';
import { createNetworks } from '../networks/networks.ts';
import { isTold, topicOf } from './notice.ts';
import type { ClaimFacts } from './notice-fact-sql.ts';
import {
  countUnmatched,
  findAvailable,
  findClaim,
  findEndingApiKey,
  findExchangeKeyEnd,
  findFailingSince,
} from './notice-fact-sql.ts';
import type { NoticeReader } from './notice-sql.ts';
import { findNotice, findWantingRole } from './notice-sql.ts';

/** Emails about a merchant's business, dropped when over or when the reader may no longer see it. */

type GathererContext = Parameters<Gatherer<'low-balance'>>[0];
type Found = NonNullable<Awaited<ReturnType<typeof findNotice>>> & { reader: NoticeReader };

/** The notice of an email, if its reader still wants and may see it. */
async function readNotice({ database }: GathererContext, data: MailData): Promise<Found | undefined> {
  const { queries } = database;
  const notice = await findNotice(queries, mailedId(data, 'notice'));
  if (!notice) return undefined;
  const topic = topicOf(notice.kind);
  const { merchantAccountId, storeId } = notice;
  const reader = { merchantAccountId, personId: mailedId(data, 'person') };
  const role = await findWantingRole(queries, reader, { topic, storeId });
  return role !== undefined && isTold(role, topic) ? { ...notice, reader } : undefined;
}

/** The host in a notice's subject, after the store's id. */
const hostOf = ({ subject }: Found) => subject.slice(subject.indexOf(':') + 1);

export const gatherLowBalance: Gatherer<'low-balance'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice || notice.overAt !== null || notice.storeId === null) return undefined;
  const available = await findAvailable(context.database.queries, notice.storeId);
  if (available === undefined) return undefined;
  const amount = formatMicroUsd(available);
  return { merchant: notice.merchant, store: notice.store ?? '', amount };
};

export const gatherEndpointFailing: Gatherer<'endpoint-failing'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice || notice.overAt !== null || notice.storeId === null) return undefined;
  const host = hostOf(notice);
  const since = await findFailingSince(context.database.queries, { storeId: notice.storeId, host });
  const isLong = notice.kind === 'endpoint-down';
  return since && { merchant: notice.merchant, store: notice.store ?? '', host, since, isLong };
};

export const gatherEndpointBack: Gatherer<'endpoint-back'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice?.overAt) return undefined;
  return { merchant: notice.merchant, store: notice.store ?? '', host: hostOf(notice), at: notice.overAt };
};

export const gatherUnmatchedMoney: Gatherer<'unmatched-money'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice) return undefined;
  const count = await countUnmatched(context.database.queries, notice.reader, notice.at);
  return count > 0 ? { merchant: notice.merchant, count, at: notice.at } : undefined;
};

const NETWORKS = createNetworks();

function amountOf({ network, token, units }: ClaimFacts): string {
  const known = NETWORKS.get(network);
  const listed = known && findToken(known, token);
  return listed ? `${formatDecimal(BigInt(units), listed.decimals)} ${token}` : token;
}

export const gatherPaymentClaimed: Gatherer<'payment-claimed'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice) return undefined;
  const [transfer = '', invoice = ''] = notice.subject.split(':');
  const ids = { transferId: BigInt(transfer), invoiceId: BigInt(invoice) };
  const claim = await findClaim(context.database.queries, notice.merchantAccountId, ids);
  if (!claim) return undefined;
  return {
    merchant: notice.merchant,
    store: notice.store ?? '',
    amount: amountOf(claim),
    order: claim.requestId ?? claim.transId,
    link: `${context.dashboardUrl}/m/${claim.account}/unmatched/${transfer}`,
  };
};

export const gatherApiKeyEnding: Gatherer<'api-key-ending'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice) return undefined;
  const [id = ''] = notice.subject.split(':');
  const now = new Date(context.clock.nowMs());
  const key = await findEndingApiKey(context.database.queries, BigInt(id), now);
  return key && { merchant: notice.merchant, store: notice.store ?? '', ...key };
};

export const gatherExchangeKeyEnding: Gatherer<'exchange-key-ending'> = async (context, data) => {
  const notice = await readNotice(context, data);
  if (!notice) return undefined;
  const [network = '', account = ''] = notice.subject.split(' ');
  const endsAt = await findExchangeKeyEnd(context.database.queries, notice.reader, { network, account });
  return endsAt && { merchant: notice.merchant, network, account, endsAt };
};
