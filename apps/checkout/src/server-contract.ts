import type { CheckoutView, SelectionRefusalCode, StoreView, TransactionCheck } from './checkout-view.ts';

/**
 * The page as the server imports it. These declarations keep the browser's types, which the components use, out of the
 * server; render-page.ts is checked against them.
 */

export type PageAssets = { scriptPath: string | null; stylePath: string | null; style: string | null };

export type PagePaths = {
  /** Address of the page with what it shows, and with the language if the visitor asked for one. */
  self: string;
  events: string;
  state: string;
  select: string;
  check: string;
  /** Address of the same page in each language. */
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

/** A method that was chosen in another window or device than the one that shows this page. */
export type ElsewhereInput = {
  language: string;
  /** The step that this page still shows. */
  step: 'choose' | 'pay';
  token: string;
  networkName: string;
  /** Address of the page with the chosen method. */
  href: string;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

/** Renders the whole document. It works without script, and the script takes it over in the browser. */
export declare function renderPage(input: PageInput): string;

/** Renders the notice that another method was chosen elsewhere, with a link to it, as HTML. */
export declare function renderElsewhere(input: ElsewhereInput): string;

/** Renders a page with a notice, when there is no invoice to show. */
export declare function renderNotice(kind: NoticeKind, language: string, assets: PageAssets): string;

/**
 * Inline style with the store's colours, empty without any. The content security policy names it by the hash of this
 * exact text.
 */
export declare function accentStyle(store: StoreView): string;

export declare const LANGUAGE_CODES: readonly string[];

/** Chooses the language: the one in the page's address, else the one that the browser prefers most, else English. */
export declare function chooseLanguage(
  query: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string;
