/**
 * Everything that the page shows of an invoice, formatted by the server, so that the page decides nothing about money.
 */

export type CheckoutStep =
  | 'choose'
  | 'pay'
  /** The time is over and the last blocks are still being read: not shown as expired yet. */
  | 'checking'
  /** A full payment was seen and is not settled yet. */
  | 'processing'
  | 'paid'
  | 'expired'
  | 'cancelled';

export type CheckoutView = {
  transId: string;
  step: CheckoutStep;
  store: StoreView;
  name: string | null;
  description: string | null;
  /** At least two decimals. */
  amountUsd: string;
  /** The price in another currency, and its rate; null for prices in USD. */
  priced: PricedView | null;
  /** Server time of the view in ms, for the countdown instead of the visitor's clock. */
  nowMs: number;
  expiresAtMs: number;
  /** When the shop cancelled the invoice. */
  cancelledAtMs: number | null;
  selectable: boolean;
  methods: MethodView[];
  quote: QuoteView | null;
  /** HTML: another method was selected in another window or device, and this page still shows its own. */
  elsewhere: string | null;
  /** Other quotes, newest first, at most 5: money sent to them counts too. */
  otherQuotes: { token: string; networkName: string }[];
  payment: PaymentView | null;
  /** Unmatched transfers to the invoice's addresses, newest first, at most 5. */
  arrivals: ArrivalView[];
  /** HTML: unmatched transfers with reasons; empty without any. */
  arrivalsNote: string;
  /** HTML: methods that cannot be chosen now, with reasons; empty without any. */
  unavailable: string;
  /** HTML: the receipt; empty until paid. */
  receipt: string;
  /**
   * HTML: the support contact, for ended invoices and wrong or late payments; otherwise empty, as without a contact.
   */
  contact: string;
  /** Phrases for a payment inside an exchange platform, by key, in place of the page's own. Null on chains. */
  phrases: Record<string, string> | null;
  /** The store's return URL; null until paid, expired or cancelled. */
  returnUrl: string | null;
};

/** Texts in the language of the page: `€50.00`, and `1 EUR = 1.10 USD`. */
export type PricedView = { amount: string; rate: string };

export type StoreView = {
  name: string;
  /** Path of the logo on our own host. */
  logoPath: string | null;
  /** The store's colour as #rrggbb; `onAccent` is black or white, whichever is readable on it. */
  accent: string | null;
  onAccent: string | null;
};

export type MethodName = {
  token: string;
  tokenName: string;
  network: string;
  networkName: string;
  /** The network's name at exchanges: BEP20, ERC20, TRC20, SOL; the token for exchange platforms. */
  standard: string;
  family: 'evm' | 'tron' | 'solana' | 'exchange' | 'sandbox';
};

export type MethodView = MethodName & {
  state: 'ready' | 'behind' | 'unavailable';
  /** Why the method cannot be chosen now. */
  refusal:
    | 'below-minimum'
    | 'volatile-too-long'
    | 'price-unavailable'
    | 'network-unavailable'
    | 'account-unavailable'
    | null;
  /** Rough time from sending to settling. */
  typicalSeconds: number;
  /** `none` also means that the payment arrives immediately. */
  feeHint: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** Whether every other available network costs more for this token. */
  lowestFee: boolean;
};

export type QuoteView = MethodName & {
  /** Exact amount in tokens, without rounding or separators. */
  amount: string;
  address: string;
  /** True where coins sent by a contract are not matched: the page warns the payer. */
  directOnly: boolean;
  /** QR code of the bare address as inline SVG; empty for exchange platforms, whose codes contain more than an id. */
  qrSvg: string;
  /** HTML: steps in an exchange platform's app; empty on chains. */
  guide: string;
  /** HTML: help for withdrawals from an exchange; empty for exchange platforms. */
  help: string;
  /** Links with the whole payment: EIP-681, Solana Pay, and single wallets. */
  links: WalletLink[];
  /** The call of a browser wallet for exactly this payment; null without such wallets. */
  injected: { chainIdHex: string; contract: string | null; unitsHex: string; to: string } | null;
};

export type WalletLink = { kind: 'eip681' | 'solana-pay' | 'metamask' | 'trust'; url: string };

export type PaymentView = {
  token: string;
  networkName: string;
  amount: string;
  txId: string;
  /** The transaction's URL at a public explorer, if any. */
  explorerUrl: string | null;
  /** Confirmations seen and required while processing; null where the tier does not count them. */
  confirmations: { seen: number; wanted: number } | null;
  late: boolean;
  paidAtMs: number;
};

export type ArrivalView = {
  /**
   * One of short, over, late, cancelled, wrong-token, wrong-network, unlisted-token, already-paid and named; others get a general
   * text.
   */
  reason: string;
  token: string;
  amount: string;
  /** Missing or excess tokens; null if not comparable. */
  difference: string | null;
  /** Requested tokens and the signed difference; null if not comparable. */
  comparison: { asked: string; difference: string } | null;
  networkName: string;
  txId: string;
  atMs: number;
  /** Whether the customer can confirm it, has confirmed it, or neither. */
  claim: 'open' | 'claimed' | null;
};

export type TransactionCheck = {
  reason:
    | 'not-found'
    | 'failed'
    | 'other-address'
    | 'unlisted-token'
    | 'through-contract'
    | 'wrong-token'
    | 'wrong-network'
    | 'short'
    | 'over'
    | 'early'
    | 'late'
    | 'cancelled'
    | 'matches'
    /** The payment is listed, and may still fail. */
    | 'pending'
    /** The payment was counted for another invoice. */
    | 'used'
    | 'ended'
    | 'unavailable'
    | 'malformed';
  token: string | null;
  networkName: string | null;
  amount: string | null;
  seconds: number | null;
  /** Missing confirmations. */
  blocks: number | null;
};

export type SelectionRefusalCode =
  | 'not-waiting'
  | 'closing'
  | 'not-offered'
  | 'below-minimum'
  | 'volatile-too-long'
  | 'network-unavailable'
  | 'price-unavailable'
  | 'clock-wrong'
  | 'quoting-paused'
  | 'amounts-exhausted'
  | 'too-many-requests';
