import type { CheckoutView, SelectionRefusalCode, StoreView, TransactionCheck } from './checkout-view.ts';

/**
 * What the server sees of the page. The types of the components would bring the browser's into the server; these do not,
 * and render-page.ts proves that it keeps to them.
 */

export type PageAssets = { scriptPath: string | null; stylePath: string | null; style: string | null };

export type PagePaths = {
  /** The page as it stands: what it shows, and the language if that was asked for. */
  self: string;
  events: string;
  state: string;
  select: string;
  check: string;
  /** The same page in each language. */
  languages: Record<string, string>;
};

export type PageInput = {
  view: CheckoutView;
  language: string;
  languageFixed: boolean;
  check: TransactionCheck | null;
  refusal: SelectionRefusalCode | null;
  assets: PageAssets;
  paths: PagePaths;
};

/** A method that was chosen elsewhere for an invoice that somebody looks at. */
export type ElsewhereInput = {
  language: string;
  /** What the page shows meanwhile. */
  step: 'choose' | 'pay';
  token: string;
  networkName: string;
  /** Of the page that shows it. */
  href: string;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

/** The whole document. It works without script; the script takes it over where it is. */
export declare function renderPage(input: PageInput): string;

/** Says that something was chosen elsewhere and how to see it: ready HTML. */
export declare function renderElsewhere(input: ElsewhereInput): string;

/** A page for when there is no invoice to show. */
export declare function renderNotice(kind: NoticeKind, language: string, assets: PageAssets): string;

/** The shop's colours; empty without any. The content security policy needs its hash, so it is exact. */
export declare function accentStyle(store: StoreView): string;

export declare const LANGUAGE_CODES: readonly string[];

/** The one asked for in the address, then the one that the browser prefers most, then English. */
export declare function chooseLanguage(
  query: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string;
