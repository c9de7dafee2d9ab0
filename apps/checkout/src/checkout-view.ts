/**
 * The checkout view: everything that the page knows about an invoice. The server formats it, so that the page decides
 * nothing about money.
 */

export type CheckoutStep =
  /** No token and network chosen yet. */
  | 'choose'
  | 'pay'
  /** The time to pay is over, and the last blocks are still being read: the page does not say "expired" before that. */
  | 'checking'
  /** A full payment was seen and is not deep enough to settle yet. */
  | 'processing'
  | 'paid'
  | 'expired';

export type CheckoutView = {
  transId: string;
  step: CheckoutStep;
  store: StoreView;
  name: string | null;
  description: string | null;
  /** Amount in USD with at least two decimals. */
  amountUsd: string;
  /** Server time when the view was made, in milliseconds. The countdown follows it, not the visitor's clock. */
  nowMs: number;
  expiresAtMs: number;
  /** Whether a method can still be chosen or changed. */
  selectable: boolean;
  methods: MethodView[];
  quote: QuoteView | null;
  /**
   * HTML in the visitor's language: another method was chosen in another window or device, and this page still shows
   * its own.
   */
  elsewhere: string | null;
  /** Other quotes of this invoice, the newest first, at most 5: money sent to them counts as well. */
  otherQuotes: { token: string; networkName: string }[];
  payment: PaymentView | null;
  /** Money that reached this invoice's addresses without matching, newest first, at most 5. */
  arrivals: ArrivalView[];
  /** HTML in the visitor's language: the arrivals, each with its reason; empty where there are none. */
  arrivalsNote: string;
  /** HTML in the visitor's language: the methods that cannot be chosen now, and why; empty where all can. */
  unavailable: string;
  /** HTML in the visitor's language: the receipt; empty until the invoice is paid. */
  receipt: string;
  /**
   * HTML in the visitor's language: whom the payer can ask, where the invoice has expired or money came short, late or
   * otherwise wrong; empty elsewhere, and for a store that names nobody.
   */
  contact: string;
  /**
   * Phrases in the visitor's language, by their keys, that take the place of the page's own: what is shown is inside an
   * exchange platform. Null on chains.
   */
  phrases: Record<string, string> | null;
  /** The store's address to return to; null until the invoice is paid or expired. */
  returnUrl: string | null;
};

export type StoreView = {
  name: string;
  /** Path of the store's logo on our own host. */
  logoPath: string | null;
  /** The store's colour as #rrggbb; `onAccent` is black or white, whichever is readable on it. */
  accent: string | null;
  onAccent: string | null;
};

/** Names of a token and its network, as payers know them. */
export type MethodName = {
  token: string;
  tokenName: string;
  network: string;
  networkName: string;
  /** Name of the network at exchanges: BEP20, ERC20, TRC20, SOL; of an exchange platform, the token. */
  standard: string;
  family: 'evm' | 'tron' | 'solana' | 'exchange' | 'sandbox';
};

/** A token on a network that the store can be paid with. */
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
  /** `none` also means that the payment arrives at once. */
  feeHint: 'none' | 'very-low' | 'low' | 'medium' | 'high';
  /** Whether sending this token costs more on every other network that can be chosen now. */
  lowestFee: boolean;
};

export type QuoteView = MethodName & {
  /** Exact amount in tokens, never rounded, without separators. */
  amount: string;
  address: string;
  /** True where coins that a contract passes on are not matched automatically: the page warns the payer. */
  directOnly: boolean;
  /** QR code of the bare address, as inline SVG; empty inside an exchange platform, whose codes hold more than an id. */
  qrSvg: string;
  /** What to do in an exchange platform's app, as HTML in the visitor's language; empty on chains. */
  guide: string;
  /** Help for a withdrawal from an exchange, as HTML in the visitor's language; empty inside an exchange platform. */
  help: string;
  /** Links that carry the whole payment into a wallet: EIP-681, Solana Pay, and those of single wallets. */
  links: WalletLink[];
  /** Call by which a browser wallet sends exactly this payment; null on networks without such wallets. */
  injected: { chainIdHex: string; contract: string | null; unitsHex: string; to: string } | null;
};

export type WalletLink = { kind: 'eip681' | 'solana-pay' | 'metamask' | 'trust'; url: string };

export type PaymentView = {
  token: string;
  networkName: string;
  amount: string;
  txId: string;
  /** Address of the transaction at the network's public explorer; null without an explorer. */
  explorerUrl: string | null;
  /** Confirmations so far and needed while the payment is processing; null where its tier does not count them. */
  confirmations: { seen: number; wanted: number } | null;
  late: boolean;
  paidAtMs: number;
};

export type ArrivalView = {
  /**
   * One of short, over, late, wrong-token, wrong-network, unlisted-token, already-paid and named; the page describes
   * any other reason in general words.
   */
  reason: string;
  token: string;
  amount: string;
  /** Tokens too few or too many; null where transfer and quote cannot be compared. */
  difference: string | null;
  /** Tokens that were asked, and the difference with its sign; null where transfer and quote cannot be compared. */
  comparison: { asked: string; difference: string } | null;
  networkName: string;
  txId: string;
  atMs: number;
};

/** Answer to "I have paid": a reason code, and the values for its sentence. */
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
  /** Tokens too few or too many. */
  amount: string | null;
  seconds: number | null;
  /** Confirmations that the payment still needs. */
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
  | 'amounts-exhausted'
  | 'too-many-requests';
