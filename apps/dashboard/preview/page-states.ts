import type { AccountPage, FeePage } from './account-pages.ts';
import { accountPages, feePages } from './account-pages.ts';
import type { PageRow, Places } from './page-row.ts';
import type { PersonPage, StorePage } from './store-pages.ts';
import { personPages, storePages } from './store-pages.ts';
import type { TradePage } from './trade-pages.ts';
import { tradePages } from './trade-pages.ts';
import type { VisitorPage } from './visitor-pages.ts';
import { visitorPages } from './visitor-pages.ts';

/**
 * Every page of the app and the states it can be in. A cell either is a picture or says why there is none; a state that
 * a page does not list is a fault of types, and a page of the router that is not listed fails a test.
 */

type PageName = TradePage | AccountPage | FeePage | StorePage | PersonPage | VisitorPage;

export const pageRows = (places: Places): Record<PageName, PageRow> => ({
  ...tradePages(places),
  ...accountPages(places),
  ...feePages(places),
  ...storePages(places),
  ...personPages(),
  ...visitorPages(places),
});
