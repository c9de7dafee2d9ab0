import type { Network } from '../networks/network.ts';

/** The port of exchange platforms: rows with the platform's time, final when it says so, without blocks. */

/** The secret parts of a key. */
export type ExchangeCredentials = {
  apiKey: string;
  apiSecret: string;
  /** Only for platforms whose keys have one. */
  passphrase?: string;
};

export type ExchangeKey = { baseUrl: string; credentials: ExchangeCredentials };

export type StatementRow = {
  /** Unique within an exchange account. */
  id: string;
  /** The id until the platform assigns one, where it does so late; otherwise the same as `id`. */
  provisionalId?: string;
  /** Another id that the payer's app may show. */
  otherId?: string;
  /** The symbol of a network's token; other coins are left out. */
  token: string;
  /** Base units: above zero, except in unclear rows of unknown amount. */
  units: bigint;
  /** The platform's time, in unix milliseconds. */
  atMs: number;
  /** The payer: an account id or masked text of the platform, or empty. */
  from: string;
  /**
   * `pending`: may still fail or be reversed. `final`: definitive. `failed`: no longer a payment. `refund`: money
   * returned to a payer, as its own row. `unclear`: may be a payment but cannot be read or distinguished yet; coverage
   * stops below it, and with a known amount it is recorded as pending.
   */
  state: 'pending' | 'final' | 'failed' | 'refund' | 'unclear';
};

export type KeyFacts = {
  account: string;
  canRead: boolean;
  /** Permissions that a key must not have, including unknown ones. */
  refusedRights: readonly string[];
  /** When the key expires, in unix milliseconds; undefined when it does not. */
  expiresAtMs?: number;
  boundToAddresses: boolean;
  isSubAccount: boolean;
};

export type StatementSource = {
  readonly network: Network;
  /** The platform's clock, in unix milliseconds. */
  readTime: (baseUrl: string) => Promise<number>;
  readKey: (key: ExchangeKey) => Promise<KeyFacts>;
  /** Every row from `fromMs` to `toMs`, inclusive, in the platform's time; otherwise throws a SourceError. */
  readStatement: (key: ExchangeKey, fromMs: number, toMs: number) => Promise<StatementRow[]>;
};
