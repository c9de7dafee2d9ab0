import type { Clock } from '../../src/lib/clock.ts';
import type { ExchangeCredentials } from '../../src/platforms/statement-source.ts';

/** What the four fake exchange platforms have in common, so that one table of scenarios can drive any of them. */

export type FakePlatform = 'BINANCE' | 'OKX' | 'BYBIT' | 'KUCOIN';

export type FakeAccount = {
  uid: string;
  credentials: ExchangeCredentials;
  /** Gives the key a right by the platform's own name, or by one that nobody has documented. */
  grant: (right: string) => void;
  revoke: (right: string) => void;
  change: (facts: Partial<FakeKeyFacts>) => void;
  /** Makes another key of the same exchange account, with rights and facts of its own. */
  issueKey: () => FakeAccount;
};

/** What a platform knows about a key, besides its rights. */
export type FakeKeyFacts = {
  /** A key that ended is refused. */
  active: boolean;
  boundToAddresses: boolean;
  /** Whether the platform refuses the address that a request comes from. */
  refusesAddress: boolean;
  expiresAtMs: number | undefined;
  isSubAccount: boolean;
};

/**
 * How money arrived. `internal`: as payers send it inside of the platform. `second`: the platform's other way to do so, where
 * it has one (Binance: an internal deposit beside Pay), else as `internal`. `chain`: a deposit from a chain, which no statement
 * of ours may show.
 */
export type FakeWay = 'internal' | 'second' | 'chain';

export type FakeState = 'pending' | 'final' | 'failed';

export type FakePayment = {
  /** The platform's code of any coin, also of one that we do not list. */
  token: string;
  /** The amount as the platform writes it; may be zero or negative. */
  amount: string;
  /** The platform's time of the row; its present time by default. */
  atMs?: number;
  /** The platform's time from which the row is shown; at once by default. */
  visibleAtMs?: number;
  from?: string;
  state?: FakeState;
  /** The state in the platform's own words, until the payment ends. Where a platform has one word for it, nothing changes. */
  platformState?: string;
  /** The platform's time at which the payment becomes final; it is pending until then. */
  creditAtMs?: number;
  /** How long after its end the platform's ledger shows the payment, where it has one; at once by default. */
  ledgerDelayMs?: number;
  way?: FakeWay;
  /** An id on order. No platform documents that rows of two exchange accounts, or of two regions, never share one. */
  id?: string;
};

/** `sharesId`: the refund has the id of its payment. No platform documents that it has one of its own. */
export type FakeRefundOrder = { sharesId?: boolean };

export type FakeRowIds = { id: string; otherId?: string };

/** A part of the platform that a fault is limited to. */
export type FakePart = 'statement' | 'key' | 'time';

/**
 * A way to misbehave. `rate`: asked too often, by the exchange account or by its address. `ban`: the ban of an address, as the platform says it. `error`: a status
 * without a documented body. `slow`: never answers. `cut`: half of the answer. `html`: a page of something in between.
 * `malformed`: JSON of another shape. `duplicates`: each row twice. `shuffled`: rows in no order. `arriving`: after
 * each answer a row without money arrives, which shifts pages. `hidden`: the newest row is missing, or only one that is
 * younger than so many milliseconds.
 */
export type FakeFault = (
  | { kind: 'rate'; retryAfterSeconds?: number; by?: 'account' | 'address' }
  | { kind: 'ban'; retryAfterSeconds: number }
  | { kind: 'error'; status: number }
  | { kind: 'slow' | 'cut' | 'html' | 'malformed' | 'duplicates' | 'shuffled' | 'arriving' }
  | { kind: 'hidden'; youngerThanMs?: number }
) & {
  /** How many requests it meets; all by default, until another order. */
  times?: number;
  /** Which part it meets; all by default. */
  part?: FakePart;
};

export type FakeFaultKind = FakeFault['kind'];

/** What a fake has served. */
export type FakeCounts = {
  requests: number;
  /** Requests that broke a documented rule. */
  refused: number;
  /** Rows of statements, each time that they were shown. */
  rows: number;
  /** Rows that were shown a second time in the same answer. */
  duplicates: number;
  /** Rows that were left out of an answer. */
  hidden: number;
  /** Rows that were shown for the first time, later than their own time says. */
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
  /** The row is shown no more. */
  vanish: (id: string) => void;
  restore: (id: string) => void;
  /** Money of a payment goes back to its payer, as the platform shows it. */
  refund: (id: string, order?: FakeRefundOrder) => FakeRowIds;
  /** One fault at a time; null ends it. */
  misbehave: (fault: FakeFault | null) => void;
  /** How far the platform's clock is ahead of the one handed in. */
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
  /** Whether quotas are counted; true by default. Tests of anything else may ask more than a platform would bear. */
  quotas?: boolean;
};
