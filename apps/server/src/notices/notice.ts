import { DAY_MS, HOUR_MS } from '@counterfoil/core/duration.ts';
import type { Permission } from '@counterfoil/core/permission.ts';
import { isAllowed } from '@counterfoil/core/permission.ts';
import { daysLeft } from '../days/days-left.ts';

/** Emails about a merchant's business: what, to whom, and when. */

export const NOTICE_KINDS = [
  'low-balance',
  'endpoint-failing',
  'endpoint-down',
  'unmatched-money',
  'payment-claimed',
  'api-key-ending',
  'exchange-key-ending',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Topics that a person can switch off. */
export const NOTICE_TOPICS = ['balance', 'webhooks', 'unmatched-money', 'api-keys', 'exchange-keys'] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

const TOPIC_OF: Readonly<Record<NoticeKind, NoticeTopic>> = {
  'low-balance': 'balance',
  'endpoint-failing': 'webhooks',
  'endpoint-down': 'webhooks',
  'unmatched-money': 'unmatched-money',
  'payment-claimed': 'unmatched-money',
  'api-key-ending': 'api-keys',
  'exchange-key-ending': 'exchange-keys',
};

export const topicOf = (kind: NoticeKind): NoticeTopic => TOPIC_OF[kind];

/** The permission required for a topic. */
const TOLD_WITH: Readonly<Record<NoticeTopic, Permission>> = {
  balance: 'balance.see',
  webhooks: 'delivery.see',
  'unmatched-money': 'transfer.attach',
  'api-keys': 'api_key.use',
  'exchange-keys': 'method.see',
};

/** Whether a role receives a topic by default. */
export const isTold = (role: string, topic: NoticeTopic): boolean => isAllowed(role, TOLD_WITH[topic]);

/** How long an endpoint fails before it is reported, and reported again. */
export const FAILING_AFTER_MS = HOUR_MS;
export const DOWN_AFTER_MS = DAY_MS;

/** Without its own threshold, a balance is low below this many days. */
const LOW_DAYS = 3;
/** Recovered at a quarter above the threshold, because fees are held and released all the time. */
const RECOVERED_PERCENT = 125n;

type BalanceFacts = {
  availableMicroUsd: bigint;
  /** The members' choice, if any. */
  thresholdMicroUsd: bigint | null;
  feesMicroUsd: bigint;
};

export type BalanceVerdict = 'low' | 'between' | 'enough';

/** Whether a balance is low or has recovered; `between` changes nothing. A threshold of 0 disables the notice. */
export function judgeBalance({ availableMicroUsd, thresholdMicroUsd, feesMicroUsd }: BalanceFacts): BalanceVerdict {
  if (thresholdMicroUsd !== null) {
    if (thresholdMicroUsd > 0n && availableMicroUsd < thresholdMicroUsd) return 'low';
    return availableMicroUsd * 100n >= thresholdMicroUsd * RECOVERED_PERCENT ? 'enough' : 'between';
  }
  if (availableMicroUsd <= 0n) return 'low';
  const lasts = daysLeft(availableMicroUsd, feesMicroUsd);
  if (lasts !== null && lasts < LOW_DAYS) return 'low';
  return lasts === null || lasts > LOW_DAYS ? 'enough' : 'between';
}

/** Low balances are reported only with a threshold, or with sales and fees: idle stores are usually empty. */
export const isMissed = ({ thresholdMicroUsd, sells }: Pick<BalanceFacts, 'thresholdMicroUsd'> & { sells: boolean }) =>
  thresholdMicroUsd !== null || sells;

/** How long before its end a key is reported. */
export const API_KEY_WARNING_MS = DAY_MS;
/** At most one email about unmatched payments per merchant and period; later ones are in the next email. */
export const UNMATCHED_EVERY_MS = HOUR_MS;
/** Older transfers are no longer reported. */
export const UNMATCHED_FOR_MS = 7 * DAY_MS;
/** How long notices are kept. */
export const NOTICE_KEPT_MS = 400 * DAY_MS;
