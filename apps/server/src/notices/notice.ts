import { daysLeft } from '../days/days-left.ts';
import type { Permission } from '../people/permission.ts';
import { isAllowed } from '../people/permission.ts';

/** What people are told by mail about a merchant's business, whom, and when. Pure. */

export const NOTICE_KINDS = [
  'low-balance',
  'endpoint-failing',
  'endpoint-down',
  'unmatched-money',
  'api-key-ending',
  'exchange-key-ending',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What a person can switch off. */
export const NOTICE_TOPICS = ['balance', 'webhooks', 'unmatched-money', 'api-keys', 'exchange-keys'] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

const TOPIC_OF: Readonly<Record<NoticeKind, NoticeTopic>> = {
  'low-balance': 'balance',
  'endpoint-failing': 'webhooks',
  'endpoint-down': 'webhooks',
  'unmatched-money': 'unmatched-money',
  'api-key-ending': 'api-keys',
  'exchange-key-ending': 'exchange-keys',
};

export const topicOf = (kind: NoticeKind): NoticeTopic => TOPIC_OF[kind];

/** Whoever may do this is told about the topic. */
const TOLD_WITH: Readonly<Record<NoticeTopic, Permission>> = {
  balance: 'balance.see',
  webhooks: 'delivery.see',
  'unmatched-money': 'transfer.attach',
  'api-keys': 'api_key.use',
  'exchange-keys': 'method.see',
};

/** Whether members with a role are told about a topic, unless they do not want it. */
export const isTold = (role: string, topic: NoticeTopic): boolean => isAllowed(role, TOLD_WITH[topic]);

const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;

/** How long an endpoint fails before it is told, and before it is told again. */
export const FAILING_AFTER_MS = MS_PER_HOUR;
export const DOWN_AFTER_MS = MS_PER_DAY;

/** A balance without a threshold of its own is low when it lasts fewer days than this. */
const LOW_DAYS = 3;
/**
 * A balance is no longer low when it is above its threshold by a quarter: fees are held and released all the time, and
 * nobody is to be told each time that it passes the threshold.
 */
const RECOVERED_PERCENT = 125n;

type BalanceFacts = {
  availableMicroUsd: bigint;
  /** What the store's people chose; null when they chose nothing. */
  thresholdMicroUsd: bigint | null;
  /** Fees of the last seven days. */
  feesMicroUsd: bigint;
};

export type BalanceVerdict = 'low' | 'between' | 'enough';

/** Whether a balance is low, or has recovered; `between` changes nothing. A threshold of 0 asks for no notice. */
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

/**
 * Whether a low balance is reported by email: only if the store has a threshold, or has sales and pays fees. Idle stores
 * usually have an empty balance.
 */
export const isMissed = ({ thresholdMicroUsd, sells }: Pick<BalanceFacts, 'thresholdMicroUsd'> & { sells: boolean }) =>
  thresholdMicroUsd !== null || sells;

/** How long before its end a key is told. */
export const API_KEY_WARNING_MS = MS_PER_DAY;
/** At most one mail about unmatched money for each merchant in this time; what arrives meanwhile is told in the next. */
export const UNMATCHED_EVERY_MS = MS_PER_HOUR;
/** Money that was first seen longer ago is not told any more. */
export const UNMATCHED_FOR_MS = 7 * MS_PER_DAY;
/** How long it is remembered what was told. */
export const NOTICE_KEPT_MS = 400 * MS_PER_DAY;
