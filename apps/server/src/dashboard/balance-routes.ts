import { parseLowBalance, parseTopupAmount } from '@counterfoil/core/balance-amount.ts';
import type { Permission } from '@counterfoil/core/permission.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { z } from 'zod';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { unixSeconds } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { setLowBalance } from '../stores/set-low-balance.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { requestTopup } from '../topups/request-topup.ts';
import { stateOfTopup } from '../topups/topup.ts';
import { findTopup, offersTopups } from '../topups/topup-sql.ts';
import type { StatementRow } from './balance-sql.ts';
import { listStatement, readBalance } from './balance-sql.ts';
import type { DashboardContext } from './dashboard-context.ts';
import { PAGE_ROWS, cutPage } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** Most open invoices whose held fees are added up. */
const MAX_OPEN_INVOICES = 10_000;
const PERSON = 'person:';

const topupBody = z.strictObject({
  amount: z.string().transform((text, check) => {
    const microUsd = parseTopupAmount(text);
    if (microUsd !== undefined) return microUsd;
    check.addIssue('must be an amount in USD from 5.00 to 10000.00 with at most two decimals');
    return z.NEVER;
  }),
});

const thresholdBody = z.strictObject({
  low_balance: z
    .string()
    .transform((text, check) => {
      const microUsd = parseLowBalance(text);
      if (microUsd !== undefined) return microUsd;
      check.addIssue('must be an amount in USD up to 1000000.00 with at most two decimals');
      return z.NEVER;
    })
    .nullable(),
});

/** A statement continues after the number of one of its own rows. */
const statementQuery = z.strictObject({
  after: z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .transform(BigInt)
    .optional(),
});

type Path = Readonly<Record<string, string>>;

const findStore = (context: DashboardContext, person: Person, path: Path, permission: Permission): Promise<StoreRef> =>
  storeForMember(context, person, {
    merchantCode: path['account'] ?? '',
    merchantId: path['store'] ?? '',
    permission,
  });

/** Whether top-ups can be paid: requires a store for them and the checkout's URL. */
async function isOffered({ database, checkoutUrl }: DashboardContext, { live }: StoreRef): Promise<boolean> {
  return checkoutUrl !== undefined && (await offersTopups(database.queries, live));
}

async function viewTopup({ database, clock, checkoutUrl }: DashboardContext, { id }: StoreRef, code: string) {
  const found = await findTopup(database.queries, id, code);
  if (!found) throw new Refusal('TOPUP_UNKNOWN', { topup: code });
  const { microUsd, transId, expiresAt, creditedAt, requestedBy, createdAt } = found;
  return {
    topup: code,
    amount: formatMicroUsd(microUsd),
    state: stateOfTopup(found, new Date(clock.nowMs())),
    url_payment: transId === null || checkoutUrl === undefined ? null : `${checkoutUrl}/bill/${transId}`,
    expires_at: expiresAt && unixSeconds(expiresAt),
    credited_at: creditedAt && unixSeconds(creditedAt),
    requested_by: requestedBy.startsWith(PERSON) ? requestedBy.slice(PERSON.length) : 'operator',
    created_at: unixSeconds(createdAt),
  };
}

const viewEntry = ({ kind, microUsd, note, topup, at }: StatementRow) => ({
  kind,
  amount: formatMicroUsd(microUsd),
  note,
  topup,
  at: unixSeconds(at),
});

const topupRoutes: readonly DashboardRoute[] = [
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/stores/:store/topups',
      summary: 'Ask for a top-up of the balance',
      body: topupBody,
    },
    async ({ context, person, path, input: { amount: microUsd } }) => {
      const store = await findStore(context, person, path, 'balance.top_up');
      if (context.checkoutUrl === undefined) throw new Refusal('TOP_UPS_NOT_SET_UP');
      const returnUrl = `${context.dashboardUrl}/m/${path['account'] ?? ''}/balance/${store.merchantId}`;
      const code = await requestTopup(context, person, { store, microUsd, returnUrl });
      return viewTopup(context, store, code);
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/stores/:store/topups/:topup',
      summary: 'What a top-up has come to, and where it is paid',
    },
    async ({ context, person, path }) => {
      const store = await findStore(context, person, path, 'balance.see');
      return viewTopup(context, store, path['topup'] ?? '');
    },
  ),
];

export const balanceRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/stores/:store/balance', summary: 'What a store can spend on fees' },
    async ({ context, person, path }) => {
      const store = await findStore(context, person, path, 'balance.see');
      const balance = await readBalance(context.views.queries, store.id, MAX_OPEN_INVOICES);
      return {
        available: formatMicroUsd(balance.availableMicroUsd),
        held: formatMicroUsd(balance.heldMicroUsd),
        held_is_partial: balance.openInvoices === MAX_OPEN_INVOICES,
        overdraft: formatMicroUsd(balance.overdraftMicroUsd),
        low_balance: balance.lowBalanceMicroUsd === null ? null : formatMicroUsd(balance.lowBalanceMicroUsd),
        top_ups_offered: await isOffered(context, store),
      };
    },
  ),
  personRoute(
    {
      method: 'PATCH',
      url: '/accounts/:account/stores/:store/balance',
      summary: 'Set the balance below which members are told',
      body: thresholdBody,
    },
    async ({ context, person, path, input: { low_balance: microUsd } }) => {
      const store = await findStore(context, person, path, 'balance.top_up');
      await setLowBalance(context, person, { store, microUsd });
      return { low_balance: microUsd === null ? null : formatMicroUsd(microUsd) };
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/stores/:store/statement',
      summary: 'What came into a balance, and what was taken back',
      query: statementQuery,
    },
    async ({ context, person, path, query: { after } }) => {
      const { id } = await findStore(context, person, path, 'balance.see');
      const found = await listStatement(context.views.queries, id, { before: after, limit: PAGE_ROWS + 1 });
      const { rows, next } = cutPage(found, (row) => String(row.id));
      return { entries: rows.map(viewEntry), next };
    },
  ),
  ...topupRoutes,
];
