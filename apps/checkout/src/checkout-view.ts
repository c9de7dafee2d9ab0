/** Everything the page knows of an invoice. The server makes it in ready strings: the page decides nothing about money. */

export type CheckoutStep =
  /** No token and network chosen yet. */
  | 'choose'
  | 'pay'
  /** Time is up, and the last blocks are still being read: nobody is told "expired" before that. */
  | 'checking'
  /** A full payment was seen and waits for depth. */
  | 'processing'
  | 'paid'
  | 'expired';

export type CheckoutView = {
  transId: string;
  step: CheckoutStep;
  store: StoreView;
  name: string | null;
  description: string | null;
  /** At least two decimals. */
  amountUsd: string;
  /** The server's time when this was made, and the end of the window, in milliseconds. */
  nowMs: number;
  expiresAtMs: number;
  /** Whether a method can still be chosen or changed. */
  selectable: boolean;
  methods: MethodView[];
  quote: QuoteView | null;
  /** Ready HTML in the reader's language: something was chosen elsewhere, and what is shown here has not changed. */
  elsewhere: string | null;
  /** Other quotes of this invoice, the newest first, at most 5: money sent to them counts as well. */
  otherQuotes: { token: string; networkName: string }[];
  payment: PaymentView | null;
  /** Money that reached this invoice's addresses without matching, newest first, at most 5. */
  arrivals: ArrivalView[];
  /** Where the shop wants its customer back, only once paid or expired. */
  returnUrl: string | null;
};

export type StoreView = {
  name: string;
  /** A path on our own host. */
  logoPath: string | null;
  /** The shop's colour, and the one of black and white that reads on it: #rrggbb. */
  accent: string | null;
  onAccent: string | null;
};

/** A token on a network, as people name it. */
export type MethodName = {
  token: string;
  tokenName: string;
  network: string;
  networkName: string;
  /** The name that exchanges use: BEP20, ERC20, TRC20, SOL. */
  standard: string;
  family: 'evm' | 'tron' | 'solana' | 'exchange';
};

/** What the store can be paid with. */
export type MethodView = MethodName & {
  state: 'ready' | 'behind' | 'unavailable';
  /** Why it cannot be chosen now. */
  refusal: 'below-minimum' | 'volatile-too-long' | 'price-unavailable' | 'network-unavailable' | null;
  /** Rough, for people. */
  typicalSeconds: number;
  feeHint: 'none' | 'very-low' | 'low' | 'medium' | 'high';
};

export type QuoteView = MethodName & {
  /** Never rounded; no separators. */
  amount: string;
  address: string;
  /** Coins that a contract passes on are not matched by themselves here: the payer is told before paying. */
  directOnly: boolean;
  /** Inline SVG of the bare address. */
  qrSvg: string;
  /** Links that carry the whole payment: EIP-681, Solana Pay, wallets' own. */
  links: WalletLink[];
  /** What an injected wallet needs to send exactly this; null where there is none. */
  injected: { chainIdHex: string; contract: string | null; unitsHex: string; to: string } | null;
};

export type WalletLink = { kind: 'eip681' | 'solana-pay' | 'metamask' | 'trust'; url: string };

export type PaymentView = {
  token: string;
  networkName: string;
  amount: string;
  txId: string;
  /** On the network's public explorer; null when none is configured. */
  explorerUrl: string | null;
  /** Blocks on top of it and how many are wanted; null where the network tells by itself when it is final. */
  confirmations: { seen: number; wanted: number } | null;
  late: boolean;
  paidAtMs: number;
};

export type ArrivalView = {
  /** short, over, late, wrong-token, wrong-network, unlisted-token, already-paid or named; any other is told in general words. */
  reason: string;
  token: string;
  amount: string;
  /** How much short or over, in tokens; null where the two cannot be compared. */
  difference: string | null;
  networkName: string;
  txId: string;
  atMs: number;
};

/** The answer to "I have paid": a code, and what a sentence about it needs. */
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
    | 'ended'
    | 'unavailable'
    | 'malformed';
  token: string | null;
  networkName: string | null;
  /** How much short or over, in tokens. */
  amount: string | null;
  seconds: number | null;
  /** Blocks still wanted. */
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
