import type { PageRow, Place, Places } from './page-row.ts';
import {
  ABSENT_STORE,
  COMMON,
  here,
  LIVE_ONLY,
  NO_CODE,
  NO_FILTER,
  NO_LIST,
  NO_NAMES,
  STATES,
  why,
} from './page-row.ts';

/** Pages about webhooks, money for fees, files and people. */

export type AccountPage = 'webhooks' | 'webhook' | 'team' | 'team-strict' | 'two-factor' | 'team-activity' | 'audit';
export type FeePage = 'balances' | 'balance' | 'exports';

const viewer: Place = { who: 'viewer' };
const developer: Place = { who: 'developer' };
const newcomerAt = (path: string): Place => ({ path, who: 'newcomer' });

const SAME_TEAM = why('The page is the one of the team; only the setting and the badges of members differ.');
const IN_PLACE = why('It replaces the page before anything of the merchant is loaded.');

const all = (cell: ReturnType<typeof why>) =>
  Object.fromEntries(STATES.map((state) => [state, cell])) as PageRow['states'];

/** Pages of a merchant that requires two-factor authentication: what its owner sees, and a member without it. */
function strictPages({ strictBase }: Places): Record<'team-strict' | 'two-factor', PageRow> {
  return {
    'team-strict': { path: `${strictBase}/team`, who: 'strict', states: { ...all(SAME_TEAM), arabic: here } },
    'two-factor': {
      path: strictBase,
      who: 'unready',
      states: { ...all(IN_PLACE), refused: { path: '/me/security' }, arabic: here },
    },
  };
}

export function accountPages(places: Places): Record<AccountPage, PageRow> {
  const { base, newBase, stores, hooks } = places;
  return {
    webhooks: {
      path: `${base}/webhooks`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/webhooks`),
        filtered: { path: `${base}/webhooks?http=3xx` },
        refused: viewer,
        missing: NO_CODE,
        test: { path: `${base}/webhooks?store=${stores.test}` },
        long: why('The main picture has an address that is longer than its column.'),
      },
    },
    webhook: {
      path: `${base}/webhooks/${hooks.event}`,
      states: {
        ...COMMON,
        empty: NO_LIST,
        filtered: NO_FILTER,
        refused: viewer,
        missing: { path: `${base}/webhooks/evt_00000000` },
        test: why('The frame is the one that other pages of a test store have.'),
        long: { path: `${base}/webhooks/${hooks.failed}` },
      },
    },
    ...strictPages(places),
    team: {
      path: `${base}/team`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/team`),
        filtered: NO_FILTER,
        refused: developer,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: NO_NAMES,
      },
    },
    'team-activity': {
      path: `${base}/team/activity`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/team/activity`),
        filtered: NO_FILTER,
        refused: developer,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: NO_NAMES,
      },
    },
    audit: {
      path: `${base}/audit`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/audit`),
        filtered: NO_FILTER,
        refused: developer,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: why('The main picture has the long name among its subjects.'),
      },
    },
  };
}

export function feePages({ base, newBase, stores }: Places): Record<FeePage, PageRow> {
  return {
    balances: {
      path: `${base}/balance`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/balance`),
        filtered: NO_FILTER,
        refused: developer,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: why('The main picture has a long name with a huge amount.'),
      },
    },
    balance: {
      path: `${base}/balance/${stores.bean}`,
      states: {
        ...COMMON,
        empty: { path: `${base}/balance/${stores.bare}` },
        filtered: { path: `${base}/balance/${stores.bean}?month=2020-01` },
        refused: developer,
        missing: { path: `${base}/balance/${ABSENT_STORE}` },
        test: { path: `${base}/balance/${stores.test}` },
        long: { path: `${base}/balance/${stores.long}` },
      },
    },
    exports: {
      path: `${base}/exports`,
      states: {
        ...COMMON,
        empty: newcomerAt(`${newBase}/exports`),
        filtered: NO_FILTER,
        refused: developer,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: NO_NAMES,
      },
    },
  };
}
