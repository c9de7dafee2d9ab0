import { DAY_MS } from '@counterfoil/core/duration.ts';
import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { addDays, dayOf, startOfDay } from '../days/store-day.ts';
import type { Figures } from '../home/figures.ts';
import type { DayOfStore } from '../home/list-days.ts';
import { listDays, MAX_DAYS } from '../home/list-days.ts';
import type { Home } from '../home/read-home.ts';
import { readHome } from '../home/read-home.ts';
import { isTold, NOTICE_TOPICS } from '../notices/notice.ts';
import type { NoticeTopic } from '../notices/notice.ts';
import { listSwitched } from '../notices/notice-sql.ts';
import { setNotices } from '../notices/set-notices.ts';
import { listMemberships } from '../people/membership-sql.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** Routes about a merchant's first page, its figures, and email preferences. */

const MAX_CODE = 40;
const MAX_MEMBERSHIPS = 200;
/** Days listed by default. */
const LISTED_DAYS = 30;

const day = z
  .string()
  .regex(/^20\d{2}-\d{2}-\d{2}$/)
  .refine((text) => !Number.isNaN(startOfDay(text)) && dayOf(startOfDay(text)) === text);
const homeQuery = z.strictObject({ mode: z.enum(['live', 'test']).default('live') });
const daysQuery = z
  .strictObject({ from: day.optional(), to: day.optional() })
  .refine(({ from, to }) => from === undefined || to === undefined || spanOf(from, to) <= MAX_DAYS);
const noticesBody = z.strictObject({
  account: z.string().max(MAX_CODE),
  wanted: z.partialRecord(z.enum(NOTICE_TOPICS), z.boolean()),
});

/** Number of days, inclusive; more than allowed when reversed. */
function spanOf(from: string, to: string): number {
  const days = (startOfDay(to) - startOfDay(from)) / DAY_MS + 1;
  return days < 1 ? Number.POSITIVE_INFINITY : days;
}

const viewDurations = ({ medianMs, p95Ms }: Figures['detect']) => ({ median_ms: medianMs, p95_ms: p95Ms });

const viewFigures = (figures: Figures, seesMoney: boolean) => ({
  created: figures.created,
  completed: figures.completed,
  expired: figures.expired,
  cancelled: figures.cancelled,
  late: figures.late,
  success_permille: figures.successPermille,
  volume_usd: figures.volumeUsd,
  fee_usd: seesMoney ? figures.feeUsd : null,
  detect: viewDurations(figures.detect),
  final: viewDurations(figures.final),
});

const viewAttention = ({ attention }: Home) => ({
  failing_receivers:
    attention.failingReceivers?.map(({ merchantId, host, since }) => ({
      merchant_id: merchantId,
      host,
      since: unixSeconds(since),
    })) ?? null,
  unmatched_money: attention.unmatchedMoney,
  waiting_methods:
    attention.waitingMethods?.map(({ merchantId, network, effectiveAt }) => ({
      merchant_id: merchantId,
      network,
      effective_at: unixSeconds(effectiveAt),
    })) ?? null,
  faulty_accounts: attention.faultyAccounts,
  ending_keys:
    attention.endingKeys?.map(({ merchantId, hint, endsAt }) => ({
      merchant_id: merchantId,
      hint,
      ends_at: unixSeconds(endsAt),
    })) ?? null,
});

const viewHome = (home: Home) => ({
  today: viewFigures(home.periods.today, home.seesMoney),
  week: viewFigures(home.periods.week, home.seesMoney),
  month: viewFigures(home.periods.month, home.seesMoney),
  balances:
    home.balances?.map((one) => ({
      merchant_id: one.merchantId,
      available_usd: one.availableUsd,
      days_left: one.daysLeft,
      low: one.low,
      empty: one.empty,
    })) ?? null,
  steps: {
    store: home.steps.store,
    method: home.steps.method,
    funded: home.steps.funded,
    test_payment: home.steps.testPayment,
    webhook: home.steps.webhook,
    live_payment: home.steps.livePayment,
  },
  attention: viewAttention(home),
});

const viewTotals = (one: Omit<DayOfStore, 'day' | 'methods'>) => ({
  created: one.created,
  completed: one.completed,
  expired: one.expired,
  cancelled: one.cancelled,
  late: one.late,
  volume_usd: one.volumeUsd,
  fee_usd: one.feeUsd,
});

const viewDay = ({ day: ofDay, methods, ...totals }: DayOfStore) => ({
  day: ofDay,
  ...viewTotals(totals),
  methods: methods.map((one) => ({
    network: one.network,
    token: one.token,
    completed: one.completed,
    late: one.late,
    volume_usd: one.volumeUsd,
    fee_usd: one.feeUsd,
  })),
});

export const homeRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/home', summary: 'Look at the first page', query: homeQuery },
    async ({ context, person, path: { account = '' }, query: { mode } }) =>
      viewHome(await readHome(context, person, { merchantCode: account, mode })),
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/stores/:store/days',
      summary: 'List the figures of a store day by day',
      query: daysQuery,
    },
    async ({ context, person, path: { account = '', store = '' }, query }) => {
      const today = dayOf(context.clock.nowMs());
      const lastOf = (first: string) => [addDays(first, MAX_DAYS - 1), today].toSorted()[0] ?? today;
      const to = query.to ?? (query.from === undefined ? today : lastOf(query.from));
      const from = query.from ?? addDays(to, 1 - LISTED_DAYS);
      const asked = { merchantCode: account, merchantId: store, from, to };
      const { days, totals } = await listDays(context, person, asked);
      return { from, to, days: days.map(viewDay), totals: viewTotals(totals) };
    },
  ),
  personRoute(
    { method: 'GET', url: '/me/notifications', summary: 'What the own mails tell about merchants' },
    async ({ context: { database }, person }) => {
      const memberships = await listMemberships(database.queries, person.id, MAX_MEMBERSHIPS);
      const limit = MAX_MEMBERSHIPS * NOTICE_TOPICS.length;
      const switched = await listSwitched(database.queries, person.id, limit);
      const off = new Set(
        switched.filter(({ wanted }) => !wanted).map((one) => `${one.merchantAccountId} ${one.topic}`),
      );
      return {
        accounts: memberships
          .filter((one) => !one.lacksTwoFactor)
          .map(({ merchantAccountId, merchantCode, merchantName, role }) => {
            const told = NOTICE_TOPICS.filter((topic) => isTold(role, topic));
            const wanted = told.map((topic): [NoticeTopic, boolean] => [
              topic,
              !off.has(`${merchantAccountId} ${topic}`),
            ]);
            return { account: merchantCode, name: merchantName, wanted: Object.fromEntries(wanted) };
          }),
      };
    },
  ),
  personRoute(
    { method: 'PUT', url: '/me/notifications', summary: 'Choose what mails tell about a merchant', body: noticesBody },
    async ({ context, person, input: { account, wanted } }) => {
      await setNotices(context, person, { merchantCode: account, wanted });
    },
  ),
];
