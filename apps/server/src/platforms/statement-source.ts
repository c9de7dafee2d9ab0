import type { Network } from '../networks/network.ts';

/**
 * The port of exchange platforms. What a platform shows of an exchange account is a statement: rows with the platform's
 * own time. A statement has no blocks and no depth; a row is final when the platform says so.
 */

/** The secret parts of a key, as the platform issued them. */
export type ExchangeCredentials = {
  apiKey: string;
  apiSecret: string;
  /** The passphrase, where the platform's keys have one. */
  passphrase?: string;
};

/** A key, and the base URL of the platform where the key works. */
export type ExchangeKey = { baseUrl: string; credentials: ExchangeCredentials };

export type StatementRow = {
  /** The platform's id of the row, unique within an exchange account. */
  id: string;
  /**
   * The id under which the row is listed until its platform gives it an id of its own, where a platform does so late;
   * the same as `id` until then.
   */
  provisionalId?: string;
  /** Another id by which the payer's app may name the same payment. */
  otherId?: string;
  /** The symbol of a token of the network. Rows of other coins are not part of an answer. */
  token: string;
  /** The amount in the token's base units: above zero, except in unclear rows whose amount is not known. */
  units: bigint;
  /** The platform's time of the row, in unix milliseconds. */
  atMs: number;
  /**
   * Who paid: an account id at the platform, or the masked text that the platform shows. Empty when it shows nothing.
   */
  from: string;
  /**
   * `pending`: the payment may still fail, or be taken back. `final`: the platform's last word. `failed`: the row was
   * listed and is no payment any more. `refund`: money that went back to a payer, as a row of its own. `unclear`:
   * something that may be a payment and cannot be read, or told from another, for now; nothing is covered past such a
   * row. One whose amount is known is recorded as pending.
   */
  state: 'pending' | 'final' | 'failed' | 'refund' | 'unclear';
};

/** What a platform says about a key. */
export type KeyFacts = {
  /** The id of the exchange account, as the platform's app shows it to a payer. */
  account: string;
  /** Whether the key may read what arrived. */
  canRead: boolean;
  /** Rights that a key must not have, by the platform's names; also rights that this code does not know. */
  refusedRights: readonly string[];
  /** When the key ends by itself, in unix milliseconds; undefined when it does not end. */
  expiresAtMs?: number;
  /** Whether only certain IP addresses may use the key. */
  boundToAddresses: boolean;
  isSubAccount: boolean;
};

export type StatementSource = {
  readonly network: Network;
  /** The platform's clock, in unix milliseconds. */
  readTime: (baseUrl: string) => Promise<number>;
  readKey: (key: ExchangeKey) => Promise<KeyFacts>;
  /**
   * Reads every row from `fromMs` to `toMs`, both included, in the platform's time. Returns a complete answer or throws
   * a SourceError: an answer that may lack a row must never look complete.
   */
  readStatement: (key: ExchangeKey, fromMs: number, toMs: number) => Promise<StatementRow[]>;
};
