import type {
  ArrivalView,
  CheckoutView,
  MethodView,
  PaymentView,
  PricedView,
  SelectionRefusalCode,
  StoreView,
  TransactionCheck,
} from './checkout-view.ts';

/**
 * The page as the server imports it. These declarations keep the browser's types out of the server; render-page.ts is
 * checked against them.
 */

export type PageAssets = { scriptPath: string | null; stylePath: string | null; style: string | null };

export type PagePaths = {
  /** The page's URL with what it shows, and the language if requested. */
  self: string;
  events: string;
  state: string;
  select: string;
  check: string;
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
  /** Null on every live page. */
  panel: PanelInput | null;
};

/** The test payer's panel: target of its buttons, its script, and the last message. */
export type PanelInput = { path: string; scriptPath: string | null; said: string | null };

/** A method that was selected in another window or device. */
export type ElsewhereInput = {
  language: string;
  /** The step that this page still shows. */
  step: 'choose' | 'pay';
  token: string;
  networkName: string;
  /** URL of the page with the selected method. */
  href: string;
};

/** The support contact for an invoice. */
export type ContactInput = {
  language: string;
  storeName: string;
  transId: string;
  /** An https page, if any. */
  supportUrl: string | null;
  supportEmail: string | null;
};

export type ArrivalsInput = {
  language: string;
  transId: string;
  arrivals: readonly ArrivalView[];
  /** Whether a payment of a different amount arrived that may be this invoice's or another's. */
  isAsked: boolean;
  /** Whether a transaction was submitted for this invoice. */
  isClaimed: boolean;
  /** Target of the forms that submit a transaction. */
  checkPath: string;
};

export type ReceiptInput = {
  language: string;
  storeName: string;
  name: string | null;
  transId: string;
  amountUsd: string;
  priced: PricedView | null;
  payment: PaymentView;
};

/** Names of an exchange platform and of its user ids. */
export type PlatformName = { platform: string; idName: string };

/** A payment inside an exchange platform, with instructions. */
export type GuideInput = PlatformName & {
  language: string;
  /** How the platform's app sends money to other users; `unknown` gets a general text. */
  way: 'pay' | 'internal-transfer' | 'unknown';
  token: string;
  amount: string;
  account: string;
};

/** A payment on a chain, perhaps by withdrawal from an exchange. */
export type WithdrawalInput = {
  language: string;
  amount: string;
  networkName: string;
  standard: string;
};

export type NoticeKind = 'not-found' | 'too-many-requests' | 'unavailable';

export declare function renderPage(input: PageInput): string;

/** Renders a link to the method that was selected elsewhere, as HTML. */
export declare function renderElsewhere(input: ElsewhereInput): string;

/** Renders the contact as HTML; empty without one. */
export declare function renderContact(input: ContactInput): string;

/** Renders unmatched transfers as HTML; empty without any. */
export declare function renderArrivals(input: ArrivalsInput): string;

export declare function sayRefusal(language: string, refusal: SelectionRefusalCode): string;

/** Renders the answer to "I have paid" as HTML. `phrases` are those of the view. */
export declare function renderCheck(
  language: string,
  phrases: CheckoutView['phrases'],
  check: TransactionCheck,
): string;

/** Renders a paid invoice's receipt as HTML. */
export declare function renderReceipt(input: ReceiptInput): string;

/** Renders unavailable methods and reasons as HTML; empty without any. */
export declare function renderUnavailable(language: string, methods: readonly MethodView[]): string;

/** Phrases in place of the page's own, for payments inside an exchange platform. */
export declare function exchangePhrases(language: string, name: PlatformName): Record<string, string>;

/** Renders the steps in a platform's app as HTML. */
export declare function renderGuide(input: GuideInput): string;

/** Renders folded help for withdrawals to the quote's address as HTML. */
export declare function renderWithdrawalHelp(input: WithdrawalInput): string;

export declare function drawQrCode(text: string): string;

export declare function renderNotice(kind: NoticeKind, language: string, assets: PageAssets): string;

/** Inline style with the store's colours, if any. The content security policy has the hash of exactly this text. */
export declare function accentStyle(store: StoreView): string;

/** The language of the URL, the browser's preferred one, or English. */
export declare function chooseLanguage(
  query: string | null | undefined,
  acceptLanguage: string | null | undefined,
): string;

/** The panel's inline style; the content security policy has the hash of exactly this text. */
export declare const PANEL_STYLE: string;

/** Requests of the panel's buttons. */
export declare const PANEL_ASKS: readonly string[];
