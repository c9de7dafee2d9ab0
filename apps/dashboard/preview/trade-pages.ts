import type { PageRow, Place, Places } from './page-row.ts';
import { COMMON, FOR_ALL, here, LIVE_ONLY, NO_CODE, NO_FILTER, NO_LIST, why } from './page-row.ts';

/** Pages about payments. */

export type TradePage = 'home' | 'invoices' | 'invoice' | 'unmatched' | 'unmatched-item';

export function tradePages({ base, newBase, stores, trade, hooks }: Places): Record<TradePage, PageRow> {
  const fresh = (page: string): Place => ({ path: `${newBase}${page}`, who: 'newcomer' });
  return {
    home: {
      path: base,
      states: {
        ...COMMON,
        empty: fresh(''),
        filtered: why('The choice of days hides nothing: figures of none are shown as zero.'),
        refused: FOR_ALL,
        missing: { path: '/m/ACC-00000000' },
        test: { path: `${base}?mode=test` },
        long: why('Long names are among the stores of the main picture.'),
      },
    },
    invoices: {
      path: `${base}/invoices`,
      states: {
        ...COMMON,
        offline: here,
        empty: fresh('/invoices'),
        filtered: { path: `${base}/invoices?status=late&last=30m` },
        refused: FOR_ALL,
        missing: NO_CODE,
        test: { path: `${base}/invoices?store=${stores.test}` },
        long: why('The main picture has a long title with a huge amount.'),
      },
    },
    invoice: {
      path: `${base}/invoices/${trade.paid}`,
      states: {
        ...COMMON,
        empty: NO_LIST,
        filtered: NO_FILTER,
        refused: FOR_ALL,
        missing: { path: `${base}/invoices/TID-0000000000000000` },
        test: { path: `${base}/invoices/${trade.test}` },
        long: { path: `${base}/invoices/${trade.long}` },
      },
    },
    unmatched: {
      path: `${base}/unmatched`,
      states: {
        ...COMMON,
        empty: fresh('/unmatched'),
        filtered: { path: `${base}/unmatched?store=${stores.coffee}` },
        refused: FOR_ALL,
        missing: NO_CODE,
        test: LIVE_ONLY,
        long: { before: (page) => page.getByRole('link', { name: /123,456/ }).click() },
      },
    },
    'unmatched-item': {
      path: `${base}/unmatched/${hooks.transfer}`,
      states: {
        ...COMMON,
        empty: NO_LIST,
        filtered: NO_FILTER,
        refused: FOR_ALL,
        missing: { path: `${base}/unmatched/999999999` },
        test: LIVE_ONLY,
        long: why('The long amount is pictured beside its list.'),
      },
    },
  };
}
