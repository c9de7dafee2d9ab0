import type { CheckoutView, SelectionRefusalCode, StoreView, TransactionCheck } from './checkout-view.ts';

/**
 * What the server sees of the page. The types of the components would bring the browser's into the server; these do not,
 * and render-page.ts proves that it keeps to them.
 */

export type PageAssets = { scriptPath: string | null; stylePath: string | null; style: string | null };

export type PagePaths = { self: string; events: string; state: string; select: string; check: string };

export type PageInput = {
  view: CheckoutView;
  language: string;
  languageFixed: boolean;
  check: TransactionCheck | null;
  refusal: SelectionRefusalCode | null;
  assets: PageAssets;
  paths: PagePaths;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

/** The whole document. It works without script; the script takes it over where it is. */
export declare function renderPage(input: PageInput): string;

/** A page for when there is no invoice to show. */
export declare function renderNotice(kind: NoticeKind, language: string, assets: PageAssets): string;

/** The shop's colours; empty without any. The content security policy needs its hash, so it is exact. */
export declare function accentStyle(store: StoreView): string;

/** The one asked for in the address, then the one that the browser prefers most, then English. */
export declare function chooseLanguage(
  query: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string;
