import type { Clock } from '../../src/lib/clock.ts';
import type { ExchangeCredentials } from '../../src/platforms/statement-source.ts';

/** What the four fake exchange platforms have in common, so that one table of scenarios can drive any fake platform. */

export type FakePlatform = 'BINANCE' | 'OKX' | 'BYBIT' | 'KUCOIN';

export type FakeAccount = {
  uid: string;
  credentials: ExchangeCredentials;
  /** Gives the API key a permission by the platform's name, or by an undocumented one. */
  grant: (right: string) => void;
  revoke: (right: string) => void;
  change: (facts: Partial<FakeKeyFacts>) => void;
  /** Makes another API key of the same exchange account, with rights and facts of its own. */
  issueKey: () => FakeAccount;
};

/** What a platform knows about a key, besides its rights. */
export type FakeKeyFacts = {
  /** Whether the key is alive; a key that has ended is refused. */
  active: boolean;
  boundToAddresses: boolean;
  /** Whether the platform refuses the IP address that a request comes from. */
  refusesAddress: boolean;
  expiresAtMs: number | undefined;
  isSubAccount: boolean;
  /** The version of the key, where a platform has several; the newest by default. */
  version: number | undefined;
};

/**
 * How money arrived. `internal`: as payers send money inside the platform. `second`: the platform's other way to send
 * money inside itself (Binance: an internal deposit beside Pay); like `internal` where there is no other way. `chain`:
 * a deposit from a chain, which no statement of ours may show.
 */
export type FakeWay = 'internal' | 'second' | 'chain';

export type FakeState = 'pending' | 'final' | 'failed';

export type FakePayment = {
  /** The platform's code of any coin, also of a coin that we do not list. */
  token: string;
  /** The amount as the platform writes it; may be zero or negative. */
  amount: string;
  /** The platform's time of the row; its present time by default. */
  atMs?: number;
  /** The platform's time from which the row is shown; immediately by default. */
  visibleAtMs?: number;
  from?: string;
  state?: FakeState;
  /**
   * The state in the platform's own words, until the payment ends. Has no effect where a platform has only one word for
   * the state.
   */
  platformState?: string;
  /** The platform's time at which the payment becomes final; the payment is pending until then. */
  creditAtMs?: number;
  /** How long after the payment's end the platform's ledger, if any, shows it; immediately by default. */
  ledgerDelayMs?: number;
  /** Whether the payment is credited to the trading account, where a platform lets its users choose that. */
  toTrading?: boolean;
  way?: FakeWay;
  /**
   * The id of the row, if the test orders an id. No platform documents that rows of two exchange accounts, or of two
   * regions, never share an id.
   */
  id?: string;
};

/** `sharesId`: the refund has the id of its payment. No platform documents that a refund has an id of its own. */
export type FakeRefundOrder = { sharesId?: boolean };

export type FakeRowIds = { id: string; otherId?: string };

/** A part of the platform that a fault is limited to. */
export type FakePart = 'statement' | 'key' | 'time';

/**
 * A way in which a fake platform misbehaves. `rate`: refuses for asking too often, by the exchange account or by its IP
 * address. `ban`: the ban of an IP address, as the platform words it. `error`: a status without a documented body.
 * `slow`: never answers. `cut`: half of the answer. `html`: a page of a proxy in between. `malformed`: JSON of another
 * shape. `duplicates`: each row twice. `shuffled`: rows in no order. `arriving`: after each answer a row without money
 * arrives, which shifts pages. `hidden`: the newest row is missing; with an age in milliseconds, only while the row is
 * younger.
 */
export type FakeFault = (
  | { kind: 'rate'; retryAfterSeconds?: number; by?: 'account' | 'address' }
  | { kind: 'ban'; retryAfterSeconds: number }
  | { kind: 'error'; status: number }
  | { kind: 'slow' | 'cut' | 'html' | 'malformed' | 'duplicates' | 'shuffled' | 'arriving' }
  | { kind: 'hidden'; youngerThanMs?: number }
) & {
  /** How many requests the fault hits; by default all requests, until another fault is ordered. */
  times?: number;
  /** Which part of the platform the fault hits; all parts by default. */
  part?: FakePart;
};

export type FakeFaultKind = FakeFault['kind'];

/** What a fake has served. */
export type FakeCounts = {
  requests: number;
  /** Requests that broke a documented rule. */
  refused: number;
  /** Rows of statements, counted each time they were shown. */
  rows: number;
  /** Rows that were shown a second time in the same answer. */
  duplicates: number;
  /** Rows that were left out of an answer. */
  hidden: number;
  /** Rows that were first shown later than their own time. */
  lateRows: number;
  /** Requests that were refused because of a ban. */
  bans: number;
  faults: Partial<Record<FakeFaultKind, number>>;
  /** Requests by their path. */
  paths: Readonly<Record<string, number>>;
};

export type FakeExchange = {
  readonly url: string;
  readonly platform: FakePlatform;
  openAccount: (facts?: Partial<FakeKeyFacts>) => FakeAccount;
  pay: (uid: string, payment: FakePayment) => FakeRowIds;
  /** Ends a pending payment. */
  settle: (id: string, state: 'final' | 'failed') => void;
  /** Makes a row disappear from the statement. */
  vanish: (id: string) => void;
  restore: (id: string) => void;
  /** Sends the money of a payment back to its payer, as the platform shows it. */
  refund: (id: string, order?: FakeRefundOrder) => FakeRowIds;
  /** Starts a fault, one at a time; null ends the present fault. */
  misbehave: (fault: FakeFault | null) => void;
  /** Sets how far the platform's clock is ahead of the clock that the fake was given. */
  skew: (ms: number) => void;
  /** The platform's time. */
  nowMs: () => number;
  counts: () => FakeCounts;
  stop: () => Promise<void>;
};

export type FakeExchangeOptions = {
  clock: Clock;
  /** The port to listen on; any by default. */
  port?: number;
  /**
   * Whether quotas are counted; true by default. Tests that are not about quotas may ask more often than a platform
   * would allow.
   */
  quotas?: boolean;
};
