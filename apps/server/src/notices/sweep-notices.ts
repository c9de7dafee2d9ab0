import { addDays, dayOf } from '../days/store-day.ts';
import { findIdAt, SLACK_MS } from '../days/id-of-time.ts';
import { AVERAGED_DAYS } from '../days/days-left.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { isMailSetUp } from '../mail/mail-setup.ts';
import type { MailContext, Outbox } from '../mail/queue-mail.ts';
import { KEY_WARNING_MS } from '../wallets/exchange-account.ts';
import type { NoticeKind } from './notice.ts';
import {
  API_KEY_WARNING_MS,
  DOWN_AFTER_MS,
  FAILING_AFTER_MS,
  isMissed,
  judgeBalance,
  NOTICE_KEPT_MS,
  UNMATCHED_EVERY_MS,
  UNMATCHED_FOR_MS,
} from './notice.ts';
import {
  findLastStoreId,
  findLastWalletId,
  findNewestTransferId,
  findTransferFrom,
  listBalances,
  listClaimed,
  listEndingApiKeys,
  listEndingExchangeKeys,
  listFailingHosts,
  listRecoveredHosts,
  listUnmatched,
} from './notice-fact-sql.ts';
import type { UnmatchedMoney } from './notice-fact-sql.ts';
import { endNotice, eraseNotices, insertNotice, lockNotices } from './notice-sql.ts';
import { mailMembers, tellNotice } from './tell-notice.ts';

const BATCH = 500;
/** Failing endpoints read per sweep, newest first. Earlier sweeps have reported the others. */
const ENDPOINTS_LOOKED_AT = 2_000;
/** Unmatched transfers read per address and reported per sweep; the list has all of them. */
const UNMATCHED_LOOKED_AT = 1_000;
const UNMATCHED_TOLD = 1_000;

type Part = (tx: Tx, outbox: Outbox, afterId: bigint) => Promise<bigint | undefined>;

const nowOf = ({ clock }: Outbox) => new Date(clock.nowMs());
const before = (outbox: Outbox, ms: number) => new Date(outbox.clock.nowMs() - ms);

const FAILING: readonly (readonly [NoticeKind, number])[] = [
  ['endpoint-failing', FAILING_AFTER_MS],
  ['endpoint-down', DOWN_AFTER_MS],
];

/** Reports hosts that have failed for an hour, and for a day. */
const tellFailing: Part = async (tx, outbox) => {
  for (const [kind, afterMs] of FAILING) {
    const looked = { before: before(outbox, afterMs), lookedAt: ENDPOINTS_LOOKED_AT };
    for (const { merchantAccountId, storeId, host } of await listFailingHosts(tx, kind, looked)) {
      const subject = `${storeId}:${host}`;
      await tellNotice(tx, outbox, { merchantAccountId, storeId, storeIds: [storeId], kind, subject });
    }
  }
  return undefined;
};

/** Reports once each recovered host, whether it was reported after an hour or a day. */
const tellRecovered: Part = async (tx, outbox, afterId) => {
  // A host that failed for a day was reported after an hour too; both notices end together.
  const { recovered, lastId } = await listRecoveredHosts(tx, 'endpoint-failing', { afterId, limit: BATCH });
  for (const { merchantAccountId, storeId, subject, noticeId } of recovered) {
    for (const [kind] of FAILING) await endNotice(tx, { merchantAccountId, storeId, kind, subject }, nowOf(outbox));
    const dataFor = () => ({ notice: String(noticeId) });
    const told = { merchantAccountId, storeIds: [storeId], kind: 'endpoint-failing', dataFor } as const;
    await mailMembers(tx, outbox, { ...told, template: 'endpoint-back' });
  }
  return lastId;
};

/** Reports low balances, and records recovered ones. */
const tellBalances: Part = async (tx, outbox, afterId) => {
  const since = addDays(dayOf(outbox.clock.nowMs()), -AVERAGED_DAYS + 1);
  const batch = { afterId, limit: BATCH };
  for (const { isTold, ...store } of await listBalances(tx, { ...batch, since })) {
    const { merchantAccountId, storeId } = store;
    const verdict = judgeBalance(store);
    const notice = { merchantAccountId, storeId, kind: 'low-balance', subject: String(storeId) } as const;
    if (verdict === 'low' && !isTold && isMissed(store))
      await tellNotice(tx, outbox, { ...notice, storeIds: [storeId] });
    if (verdict === 'enough' && isTold) await endNotice(tx, notice, nowOf(outbox));
  }
  return findLastStoreId(tx, batch);
};

/** Notifies each member in one email of all new unmatched payments in the stores that they see. */
async function tellMoney(tx: Tx, outbox: Outbox, found: readonly UnmatchedMoney[]): Promise<void> {
  const [first] = found;
  if (!first) return;
  const { merchantAccountId } = first;
  // One moment for all: an email finds its payments by it.
  const at = nowOf(outbox);
  const kind = 'unmatched-money';
  const noticeIds = new Map<bigint, bigint>();
  for (const transferId of new Set(found.map((one) => one.transferId))) {
    const notice = { merchantAccountId, storeId: null, kind, subject: String(transferId) } as const;
    const id = await insertNotice(tx, notice, at);
    if (id !== undefined) noticeIds.set(transferId, id);
  }
  const [notice] = noticeIds.values();
  if (notice === undefined) return;
  // Only shown for waiting emails: the email counts again when it is sent.
  const dataFor = (seen: readonly bigint[]) => {
    const stores = new Set(seen);
    const told = found.filter(({ storeId, transferId }) => stores.has(storeId) && noticeIds.has(transferId));
    return { notice: String(notice), count: String(new Set(told.map(({ transferId }) => transferId)).size) };
  };
  const storeIds = [...new Set(found.map(({ storeId }) => storeId))];
  await mailMembers(tx, outbox, { merchantAccountId, storeIds, kind, template: kind, dataFor });
}

/** The transfers that are still reported. */
async function choiceOf(tx: Tx, outbox: Outbox) {
  const since = before(outbox, UNMATCHED_FOR_MS);
  const newestId = await findNewestTransferId(tx);
  const sinceId = await findIdAt(newestId, (id) => findTransferFrom(tx, id), since.getTime() - SLACK_MS);
  return { since, sinceId, lookedAt: UNMATCHED_LOOKED_AT, limit: UNMATCHED_TOLD };
}

const tellUnmatched: Part = async (tx, outbox, afterId) => {
  const batch = { afterId, limit: BATCH };
  const choice = { ...(await choiceOf(tx, outbox)), quietSince: before(outbox, UNMATCHED_EVERY_MS) };
  const found = await listUnmatched(tx, batch, choice);
  const ofMerchants = Map.groupBy(found, ({ merchantAccountId }) => merchantAccountId);
  for (const ofMerchant of ofMerchants.values()) await tellMoney(tx, outbox, ofMerchant);
  return findLastWalletId(tx, batch);
};

/** Reports each customer's claim to an unmatched transfer. */
const tellClaims: Part = async (tx, outbox, afterId) => {
  const batch = { afterId, limit: BATCH };
  const kind = 'payment-claimed';
  for (const { merchantAccountId, storeId, subject } of await listClaimed(tx, batch, await choiceOf(tx, outbox)))
    await tellNotice(tx, outbox, { merchantAccountId, storeId, storeIds: [storeId], kind, subject });
  return findLastWalletId(tx, batch);
};

/** Reports API keys and exchange keys that end soon. */
const tellKeys: Part = async (tx, outbox) => {
  const now = nowOf(outbox);
  const ending = { now, before: before(outbox, -API_KEY_WARNING_MS), limit: BATCH };
  for (const { merchantAccountId, storeId, subject } of await listEndingApiKeys(tx, ending)) {
    const notice = { merchantAccountId, storeId, kind: 'api-key-ending', subject } as const;
    await tellNotice(tx, outbox, { ...notice, storeIds: [storeId] });
  }
  const keys = await listEndingExchangeKeys(tx, { before: before(outbox, -KEY_WARNING_MS), limit: BATCH });
  for (const { merchantAccountId, subject, storeIds } of keys)
    await tellNotice(tx, outbox, { merchantAccountId, storeId: null, storeIds, kind: 'exchange-key-ending', subject });
  await eraseNotices(tx, before(outbox, NOTICE_KEPT_MS), BATCH);
  return undefined;
};

const PARTS: readonly Part[] = [tellRecovered, tellFailing, tellBalances, tellUnmatched, tellClaims, tellKeys];

/**
 * Finds facts to report by email. Each commits together with its emails, so a worker that dies repeats and forgets
 * nothing; one worker at a time. Without email nothing is reported, so that it can be later.
 */
export async function sweepNotices(context: MailContext): Promise<void> {
  if (!(await isMailSetUp(context.database.queries, context.clock))) return;
  for (const part of PARTS) {
    let afterId: bigint | undefined = 0n;
    while (afterId !== undefined) {
      const from: bigint = afterId;
      afterId = await inTransaction(context.database, async (tx) =>
        (await lockNotices(tx)) ? part(tx, context, from) : undefined,
      );
    }
  }
}
