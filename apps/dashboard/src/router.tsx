import { EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readChoice, readText } from './api/address-search.ts';
import { isCode } from './api/api-error.ts';
import { readInvoiceSearch } from './api/invoice-search.ts';
import { meQuery, queryClient } from './api/queries.ts';
import type { UnmatchedSearch } from './api/unmatched-queries.ts';
import type { DeliverySearch } from './api/webhook-queries.ts';
import { firstAccount } from './frame/membership.ts';
import { showLanguage, storedLanguage, withWords } from './language/language.ts';
import { FailurePage } from './pages/failure-page.tsx';
import type { Range } from './pages/home/span.ts';
import { RANGES } from './pages/home/span.ts';
import { root } from './root-route.tsx';
import { visitors } from './visitor-routes.ts';

/** Routes. Each page is loaded when first visited. */

/** A month as `2026-11`; a top-up by code, or `new`. */
type BalanceSearch = { month?: string; topup?: string };

const EXPORTED = ['invoices', 'transfers', 'statement', 'audit'] as const;
/** The cursor; a kind and store for a new file. */
type ExportSearch = { after?: string; new?: (typeof EXPORTED)[number]; store?: string };
type HomeSearch = { range?: Range; mode?: 'live' | 'test'; store?: string };

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meQuery).catch((cause: unknown) => {
      if (isCode(cause, 'NOT_SIGNED_IN')) throw redirect({ to: '/sign-in', search: { next: location.href } });
      throw cause;
    });
    if (storedLanguage() === undefined) await showLanguage(me.language);
    return { me };
  },
  component: lazyRouteComponent(() => import('./frame/app-frame.tsx'), 'AppFrame'),
});
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context: { me } }) => {
    const first = firstAccount(me);
    if (first) throw redirect({ to: '/m/$account', params: { account: first.account } });
    throw redirect({ to: me.may_open_account ? '/create-business' : '/me/security' });
  },
});
const account = createRoute({ getParentRoute: () => signedIn, path: '/m/$account' });
const merchantHome = createRoute({
  getParentRoute: () => account,
  path: '/',
  validateSearch: ({ range, mode, store }: Record<string, unknown>): HomeSearch => ({
    ...(RANGES.some((one) => one === range) && { range: range as Range }),
    ...((mode === 'live' || mode === 'test') && { mode }),
    ...(typeof store === 'string' && { store }),
  }),
  component: lazyRouteComponent(
    withWords(['home', 'start', 'figures', 'lists'], () => import('./pages/home/home-page.tsx')),
    'HomePage',
  ),
});
const stores = createRoute({
  getParentRoute: () => account,
  path: '/stores',
  component: lazyRouteComponent(
    withWords(['keys', 'balance'], () => import('./pages/stores-page.tsx')),
    'StoresPage',
  ),
});
const store = createRoute({
  getParentRoute: () => account,
  path: '/stores/$store',
  component: lazyRouteComponent(
    withWords(['store'], () => import('./pages/stores/general-page.tsx')),
    'GeneralPage',
  ),
});
const brand = createRoute({
  getParentRoute: () => account,
  path: '/stores/$store/brand',
  component: lazyRouteComponent(
    withWords(['store'], () => import('./pages/stores/brand-page.tsx')),
    'BrandPage',
  ),
});
const keys = createRoute({
  getParentRoute: () => account,
  path: '/stores/$store/keys',
  component: lazyRouteComponent(
    withWords(['store', 'keys'], () => import('./pages/stores/keys-page.tsx')),
    'KeysPage',
  ),
});
const methods = createRoute({
  getParentRoute: () => account,
  path: '/stores/$store/methods',
  component: lazyRouteComponent(
    withWords(['methods', 'store', 'wallet', 'figures'], () => import('./pages/methods-page.tsx')),
    'MethodsPage',
  ),
});
const invoices = createRoute({
  getParentRoute: () => account,
  path: '/invoices',
  validateSearch: readInvoiceSearch,
  component: lazyRouteComponent(
    withWords(['lists', 'invoices', 'methods'], () => import('./pages/invoices/invoices-page.tsx')),
    'InvoicesPage',
  ),
});
const invoice = createRoute({
  getParentRoute: () => account,
  path: '/invoices/$tid',
  component: lazyRouteComponent(
    withWords(['lists', 'invoices', 'methods'], () => import('./pages/invoices/invoice-page.tsx')),
    'InvoicePage',
  ),
});
const CURSOR = /^\d{1,18}$/;
const STORE_CODE = /^[A-Z0-9-]{1,40}$/;
const MOMENT = /^\d{1,11}$/;

const unmatched = createRoute({
  getParentRoute: () => account,
  path: '/unmatched',
  validateSearch: (raw: Record<string, unknown>): UnmatchedSearch => ({
    ...readText(raw, 'store', STORE_CODE),
    ...readChoice(raw, 'show', ['aside']),
    ...readText(raw, 'after', CURSOR),
  }),
  component: lazyRouteComponent(
    withWords(['unmatched', 'lists'], () => import('./pages/unmatched/unmatched-page.tsx')),
    'UnmatchedPage',
  ),
});
const arrival = createRoute({ getParentRoute: () => unmatched, path: '/$transfer' });
const webhooks = createRoute({
  getParentRoute: () => account,
  path: '/webhooks',
  validateSearch: (raw: Record<string, unknown>): DeliverySearch => ({
    ...readChoice(raw, 'state', ['pending', 'delivered', 'failed']),
    ...readChoice(raw, 'http', ['2xx', '3xx', '4xx', '5xx', 'none']),
    ...readChoice(raw, 'type', EVENT_TYPES),
    ...readText(raw, 'url', /^https?:\/\/.{1,490}$/),
    ...readText(raw, 'endpoint', /^EP-[A-Z0-9]{12}$/),
    ...readText(raw, 'store', STORE_CODE),
    ...readText(raw, 'from', MOMENT),
    ...readText(raw, 'to', MOMENT),
    ...readText(raw, 'after', CURSOR),
  }),
  component: lazyRouteComponent(
    withWords(['webhooks', 'lists'], () => import('./pages/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
});
const webhook = createRoute({
  getParentRoute: () => account,
  path: '/webhooks/$delivery',
  component: lazyRouteComponent(
    withWords(['webhooks'], () => import('./pages/webhooks/webhook-page.tsx')),
    'WebhookPage',
  ),
});
const audit = createRoute({
  getParentRoute: () => account,
  path: '/audit',
  validateSearch: (raw: Record<string, unknown>): { after?: string } => readText(raw, 'after', CURSOR),
  component: lazyRouteComponent(
    withWords(['audit', 'lists', 'methods'], () => import('./pages/audit/audit-page.tsx')),
    'AuditPage',
  ),
});
const balances = createRoute({
  getParentRoute: () => account,
  path: '/balance',
  component: lazyRouteComponent(
    withWords(['balance'], () => import('./pages/balance/balances-page.tsx')),
    'BalancesPage',
  ),
});
const balance = createRoute({
  getParentRoute: () => account,
  path: '/balance/$store',
  validateSearch: ({ month, topup }: Record<string, unknown>): BalanceSearch => ({
    ...(typeof month === 'string' && /^20\d{2}-(0[1-9]|1[0-2])$/.test(month) && { month }),
    ...(typeof topup === 'string' && { topup }),
  }),
  component: lazyRouteComponent(
    withWords(['balance', 'store'], () => import('./pages/balance/balance-page.tsx')),
    'BalancePage',
  ),
});
const exports = createRoute({
  getParentRoute: () => account,
  path: '/exports',
  validateSearch: ({ after, new: kind, store: of }: Record<string, unknown>): ExportSearch => {
    const known = EXPORTED.find((one) => one === kind);
    return {
      ...(typeof after === 'string' && { after }),
      ...(known && { new: known }),
      ...(typeof of === 'string' && { store: of }),
    };
  },
  component: lazyRouteComponent(
    withWords(['exports', 'lists', 'methods'], () => import('./pages/exports/exports-page.tsx')),
    'ExportsPage',
  ),
});
const start = createRoute({
  getParentRoute: () => account,
  path: '/stores/$store/start',
  component: lazyRouteComponent(
    withWords(['start', 'store', 'figures'], () => import('./pages/start/start-page.tsx')),
    'StartPage',
  ),
});
const team = createRoute({
  getParentRoute: () => account,
  path: '/team',
  component: lazyRouteComponent(
    withWords(['team'], () => import('./pages/team-page.tsx')),
    'TeamPage',
  ),
});
const teamActivity = createRoute({
  getParentRoute: () => account,
  path: '/team/activity',
  validateSearch: (raw: Record<string, unknown>): { after?: string } => readText(raw, 'after', CURSOR),
  component: lazyRouteComponent(
    withWords(['activity', 'lists', 'methods'], () => import('./pages/activity/team-activity-page.tsx')),
    'TeamActivityPage',
  ),
});
const activity = createRoute({
  getParentRoute: () => signedIn,
  path: '/me/activity',
  validateSearch: (raw: Record<string, unknown>): { after?: string } => readText(raw, 'after', CURSOR),
  component: lazyRouteComponent(
    withWords(['activity', 'lists'], () => import('./pages/activity/own-activity-page.tsx')),
    'OwnActivityPage',
  ),
});
const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/me/security',
  component: lazyRouteComponent(
    withWords(['security'], () => import('./pages/security-page.tsx')),
    'SecurityPage',
  ),
});

const notices = createRoute({
  getParentRoute: () => signedIn,
  path: '/me/notifications',
  component: lazyRouteComponent(
    withWords(['notices'], () => import('./pages/notices/notices-page.tsx')),
    'NoticesPage',
  ),
});

const members = signedIn.addChildren([
  home,
  account.addChildren([
    merchantHome,
    invoices,
    invoice,
    unmatched.addChildren([arrival]),
    stores,
    store,
    methods,
    brand,
    keys,
    start,
    webhooks,
    webhook,
    balances,
    balance,
    exports,
    team,
    teamActivity,
    audit,
  ]),
  security,
  activity,
  notices,
]);

export const router = createRouter({
  routeTree: root.addChildren([...visitors, members]),
  defaultErrorComponent: FailurePage,
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
