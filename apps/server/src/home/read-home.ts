import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Permission } from '@counterfoil/core/permission.ts';
import { isAllowed } from '@counterfoil/core/permission.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import type { Context } from '../db/context.ts';
import type { Database, Queries } from '../db/database.ts';
import { AVERAGED_DAYS, daysLeft } from '../days/days-left.ts';
import { addDays, dayOf } from '../days/store-day.ts';
import type { Person } from '../lib/actor.ts';
import { isMissed, judgeBalance } from '../notices/notice.ts';
import { beholderOf } from '../people/beholder.ts';
import { requireMember } from '../people/require-member.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import { listVisibleStores } from '../stores/member-store-sql.ts';
import { findOfferFault } from '../wallets/exchange-account.ts';
import type { Figures } from './figures.ts';
import { addFigures } from './figures.ts';
import type { EndingApiKey, FailingReceiver, Steps, WaitingMethod } from './home-sql.ts';
import {
  hasUnmatchedMoney,
  listAccountHealth,
  listEndingKeys,
  listFailingReceivers,
  listMoney,
  listWaitingMethods,
  readSteps,
  sumDays,
} from './home-sql.ts';

type HomeContext = Context & { views: Database };

type HomeInput = { merchantCode: string; mode: 'live' | 'test' };

/** With the store's public code. */
type OfStore<Row> = Omit<Row, 'storeId'> & { merchantId: string };

type HomeBalance = { merchantId: string; availableUsd: string; daysLeft: number | null; low: boolean; empty: boolean };

/** An exchange account that is not offered, with the reason. */
type FaultyAccount = { network: string; account: string; fault: string | null; stopped: boolean };

/** Items that need attention; null without permission. */
type Attention = {
  failingReceivers: OfStore<FailingReceiver>[] | null;
  unmatchedMoney: boolean;
  waitingMethods: OfStore<WaitingMethod>[] | null;
  faultyAccounts: FaultyAccount[] | null;
  endingKeys: OfStore<EndingApiKey>[] | null;
};

export type Home = {
  periods: { today: Figures; week: Figures; month: Figures };
  /** Whether the reader may see fees and balances. */
  seesMoney: boolean;
  balances: HomeBalance[] | null;
  steps: Steps & { store: boolean };
  attention: Attention;
};

/** Most live, and most test stores of a merchant. */
const MAX_STORES = 200;
const MAX_ROWS = 20;
const ENDPOINTS_LOOKED_AT = 1_000;
const ACCOUNTS_LOOKED_AT = 1_000;
/** Time before a key's end at which it is shown. */
const KEY_SHOWN_MS = 7 * DAY_MS;

type Shown = {
  merchantAccountId: bigint;
  storeIds: readonly bigint[];
  codeOf: (storeId: bigint) => string;
  may: (permission: Permission) => boolean;
  now: Date;
};

async function readBalances(queries: Queries, { storeIds, codeOf, now }: Shown): Promise<HomeBalance[]> {
  const since = addDays(dayOf(now.getTime()), -AVERAGED_DAYS + 1);
  const money = await listMoney(queries, storeIds, since);
  return money.map((one) => ({
    merchantId: codeOf(one.storeId),
    availableUsd: formatMicroUsd(one.availableMicroUsd),
    daysLeft: daysLeft(one.availableMicroUsd, one.feesMicroUsd),
    low: judgeBalance(one) === 'low' && isMissed(one),
    empty: one.takesFees && one.availableMicroUsd <= 0n,
  }));
}

async function readFaultyAccounts(queries: Queries, { storeIds, now }: Shown): Promise<FaultyAccount[]> {
  const accounts = await listAccountHealth(queries, storeIds, ACCOUNTS_LOOKED_AT);
  const faulty = accounts.flatMap((health) => {
    const { network, account, fault, stopped } = health;
    const found = findOfferFault(health, now.getTime());
    return found === undefined ? [] : [{ network, account, fault: stopped ? fault : found, stopped }];
  });
  return faulty.slice(0, MAX_ROWS);
}

async function readAttention(queries: Queries, shown: Shown): Promise<Attention> {
  const { merchantAccountId, storeIds, codeOf, may, now } = shown;
  const named = <Row extends { storeId: bigint }>(rows: readonly Row[]): OfStore<Row>[] =>
    rows.map((row) => {
      const { storeId, ...rest } = row;
      return Object.assign(rest, { merchantId: codeOf(storeId) });
    });
  const looked = { lookedAt: ENDPOINTS_LOOKED_AT, limit: MAX_ROWS };
  const ending = { now, before: new Date(now.getTime() + KEY_SHOWN_MS), limit: MAX_ROWS };
  return {
    failingReceivers: may('delivery.see') ? named(await listFailingReceivers(queries, storeIds, looked)) : null,
    unmatchedMoney: await hasUnmatchedMoney(queries, merchantAccountId, storeIds),
    waitingMethods: may('method.see') ? named(await listWaitingMethods(queries, storeIds, MAX_ROWS)) : null,
    faultyAccounts: may('method.see') ? await readFaultyAccounts(queries, shown) : null,
    endingKeys: may('api_key.use') ? named(await listEndingKeys(queries, storeIds, ending)) : null,
  };
}

const idsOf = (stores: readonly VisibleStore[]) => stores.map(({ id }) => id);

/** A merchant's first page: figures of live or test stores, checklist, and items that need attention. */
export async function readHome(context: HomeContext, actor: Person, input: HomeInput): Promise<Home> {
  const { views, clock } = context;
  const asked = { merchantCode: input.merchantCode, permission: 'invoice.see' } as const;
  const { merchantAccountId, role } = await requireMember(context, actor, asked);
  const { queries } = views;
  const list = (isLive: boolean) =>
    listVisibleStores(queries, beholderOf({ clock }, actor), { merchantAccountId, live: isLive, limit: MAX_STORES });
  const stores = { live: await list(true), test: await list(false) };
  const shownStores = stores[input.mode];
  const storeIds = idsOf(shownStores);
  const codes = new Map(shownStores.map(({ id, merchantId }) => [id, merchantId]));
  const now = new Date(clock.nowMs());
  const may = (permission: Permission) => isAllowed(role, permission);
  const shown = { merchantAccountId, storeIds, codeOf: (id: bigint) => codes.get(id) ?? '', may, now };
  const sums = await sumDays(queries, storeIds, dayOf(now.getTime()));
  const upTo = (age: number) => addFigures(sums.filter((one) => one.age <= age));
  const steps = await readSteps(queries, { live: idsOf(stores.live), test: idsOf(stores.test) });
  return {
    periods: { today: upTo(0), week: upTo(1), month: upTo(2) },
    seesMoney: may('balance.see'),
    balances: may('balance.see') ? await readBalances(queries, shown) : null,
    steps: { store: stores.live.length + stores.test.length > 0, ...steps },
    attention: await readAttention(queries, shown),
  };
}
