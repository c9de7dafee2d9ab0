import type {
  ArrivalView,
  CheckoutView,
  MethodView,
  PaymentView,
  SelectionRefusalCode,
  StoreView,
  TransactionCheck,
} from './checkout-view.ts';

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
  /** The panel of a test store's page; null on every live page. */
  panel: PanelInput | null;
};

/** The test payer's panel: where its buttons ask, its script, and what was said after the last one. */
export type PanelInput = { path: string; scriptPath: string | null; said: string | null };

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

/** Whom a payer with a problem can ask about an invoice. */
export type ContactInput = {
  language: string;
  storeName: string;
  transId: string;
  /** A page by https; null when the store names none. */
  supportUrl: string | null;
  supportEmail: string | null;
};

export type ArrivalsInput = { language: string; transId: string; arrivals: readonly ArrivalView[] };

export type ReceiptInput = {
  language: string;
  storeName: string;
  name: string | null;
  transId: string;
  amountUsd: string;
  payment: PaymentView;
};

/** Names of an exchange platform, and of the ids by which it knows its users. */
export type PlatformName = { platform: string; idName: string };

/** A payment inside an exchange platform, of which the page says how to make it. */
export type GuideInput = PlatformName & {
  language: string;
  /** Where the platform's app sends money to other users; `unknown` is described in general words. */
  way: 'pay' | 'internal-transfer' | 'unknown';
  token: string;
  /** Amount and token, as the payer enters them. */
  amount: string;
  /** Id of the store's account. */
  account: string;
};

/** A payment on a chain, which a payer may send by a withdrawal from an exchange. */
export type WithdrawalInput = {
  language: string;
  /** Amount and token. */
  amount: string;
  networkName: string;
  standard: string;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

/** Renders the whole document. It works without script, and the script takes it over in the browser. */
export declare function renderPage(input: PageInput): string;

/** Renders the notice that another method was chosen elsewhere, with a link to it, as HTML. */
export declare function renderElsewhere(input: ElsewhereInput): string;

/** Renders whom the payer can ask, as HTML; empty when the store names nobody. */
export declare function renderContact(input: ContactInput): string;

/** Renders the money that arrived without matching, as HTML; empty where there is none. */
export declare function renderArrivals(input: ArrivalsInput): string;

/** Why a choice was refused, in plain words. */
export declare function sayRefusal(language: string, refusal: SelectionRefusalCode): string;

/** Renders the answer to "I have paid", as HTML. `phrases` are those of the view. */
export declare function renderCheck(
  language: string,
  phrases: CheckoutView['phrases'],
  check: TransactionCheck,
): string;

/** Renders the receipt of a paid invoice, as HTML. */
export declare function renderReceipt(input: ReceiptInput): string;

/** Renders which methods cannot be chosen now, and why, as HTML; empty where all can. */
export declare function renderUnavailable(language: string, methods: readonly MethodView[]): string;

/** Phrases that take the place of the page's own while it shows a payment inside an exchange platform. */
export declare function exchangePhrases(language: string, name: PlatformName): Record<string, string>;

/** Renders what the payer does in the platform's app, step by step, as HTML. */
export declare function renderGuide(input: GuideInput): string;

/** Renders folded help for payers who withdraw from an exchange to the quote's address, as HTML. */
export declare function renderWithdrawalHelp(input: WithdrawalInput): string;

/** Draws the QR code of a bare address, as SVG. */
export declare function drawQrCode(text: string): string;

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

/** Inline style of the test payer's panel; the content security policy names it by the hash of this exact text. */
export declare const PANEL_STYLE: string;

/** What the buttons of the panel ask for. */
export declare const PANEL_ASKS: readonly string[];
