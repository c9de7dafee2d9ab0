/** Refusals of verbs by code, with facts; each face (API, checkout page, command line) has its own texts. */
export type Refusals = {
  // Refusals about merchants, stores and what belongs to them
  MERCHANT_UNKNOWN: { merchant: string };
  PLAN_UNKNOWN: { plan: string };
  PLAN_EXISTS: { plan: string };
  PLAN_UNCHANGED: { plan: string };
  STORE_UNKNOWN: { store: string };
  STORE_TERMS_UNCHANGED: { store: string };
  STORE_WITHOUT_SECRET: { storeId: string };
  LOGO_TOO_LARGE: { maxBytes: number };
  LOGO_NOT_A_PICTURE: Nothing;
  LOGO_OF_WRONG_SIZE: Nothing;
  SUPPORT_URL_UNFIT: { maxCharacters: number };
  SUPPORT_MAIL_UNFIT: Nothing;
  API_KEY_ALONE: { store: string };
  STORE_OFF_BY_OPERATOR: { store: string };
  BALANCE_UNCHANGED: Nothing;
  BALANCE_TOO_LOW: Nothing;
  TOP_UPS_NOT_SET_UP: Nothing;
  TOP_UP_STORE_EXISTS: { live: boolean };
  TOO_MANY_TOPUPS: { most: number };
  TOPUP_UNKNOWN: { topup: string };

  // Refusals about people
  TOO_MANY_ATTEMPTS: { minutes: number };
  INVITATIONS_TOO_FAST: { minutes: number };
  TOO_BUSY: { retryAfterSeconds: number };
  SIGN_IN_REFUSED: Nothing;
  FACTOR_WRONG: Nothing;
  FACTOR_NEEDED: Nothing;
  TWO_FACTOR_REQUIRED: Nothing;
  STEP_UP_NEEDED: Nothing;
  SESSION_ENDED: Nothing;
  SESSION_UNKNOWN: Nothing;
  PERSON_UNKNOWN: { person: string };
  PERSON_EXISTS: { mail: string };
  PASSWORD_UNFIT: { fault: string };
  LINK_INVALID: Nothing;
  TOO_MANY_RESTORES: Nothing;
  REGISTRATION_CLOSED: Nothing;
  ADDRESS_TAKEN: Nothing;
  FACTOR_MISSING: Nothing;
  TOO_MANY_MERCHANTS: { most: number };
  MERCHANT_WAITS: Nothing;
  FACTOR_RESET_OPEN: Nothing;
  FACTORS_ARE_OWN: Nothing;
  TOTP_NOT_BEGUN: Nothing;
  PASSKEY_UNKNOWN: Nothing;
  TOO_MANY_PASSKEYS: { most: number };
  RECOVERY_CODES_UNCONFIRMED: Nothing;
  MEMBER_EXISTS: { person: string };
  MEMBER_UNKNOWN: Nothing;
  ROLE_TOO_HIGH: { role: string };
  INVITATION_UNKNOWN: Nothing;
  TOO_MANY_INVITATIONS: { most: number };
  FOLLOW_THE_MAIL: Nothing;
  INVITATION_FOR_ANOTHER: Nothing;
  LAST_OWNER: Nothing;
  OWNER_NEEDED: { until: string };
  NO_PERMISSION: { permission: string };
  OPERATORS_ONLY: Nothing;
  READ_ONLY_VIEW: Nothing;
  STORES_NOT_OFFERED: Nothing;
  TOO_MANY_STORES: { limit: number };
  VIEW_UNKNOWN: { view: string };

  // Refusals about networks and wallets
  NETWORK_UNKNOWN: { network: string; known?: readonly string[] };
  TOKEN_UNKNOWN: { network: string; token: string };
  ADDRESS_INVALID: { network: string; address: string };
  ADDRESS_OF_ANOTHER_MERCHANT: { address: string };
  WALLET_EXISTS: { network: string; address: string };
  WALLET_UNKNOWN: { network: string; address: string };
  TEST_STORE_ON_LIVE_NETWORK: { store: string };

  SANDBOX_NETWORK: { network: string };
  METHODS_LOCKED: Nothing;
  METHODS_NOT_LOCKED: Nothing;
  METHOD_CHANGE_WAITS: { network: string; change: string };
  METHOD_CHANGE_UNKNOWN: { change: string };
  METHOD_CHANGE_DECIDED: { change: string };
  TOO_MANY_METHOD_CHANGES: { most: number };
  UNLOCK_BY_REQUESTER: { hours: number };

  // Refusals about exchange accounts
  EXCHANGE_KEY_NEEDED: { network: string };
  EXCHANGE_UNKNOWN: { network: string; known: readonly string[] };
  EXCHANGE_ADDRESS_UNKNOWN: { network: string; known: readonly string[] };
  EXCHANGE_PASSPHRASE_NEEDED: { network: string };
  EXCHANGE_KEY_REFUSED: { network: string; fault: string };
  EXCHANGE_NOT_ANSWERING: { network: string; reason: string };
  EXCHANGE_ACCOUNT_UNKNOWN: { network: string; account: string };
  EXCHANGE_ACCOUNT_STOPPED: { network: string; account: string };
  EXCHANGE_ACCOUNT_NOT_STOPPED: { network: string; account: string };

  // Refusals about invoices
  EXCHANGE_RATE_UNAVAILABLE: { currency: string; reason: string };
  AMOUNT_OUT_OF_RANGE: { currency: string; exchangeRate: string };
  NO_PAYMENT_METHOD: Nothing;
  INSUFFICIENT_BALANCE: {
    availableMicroUsd: bigint;
    feeMicroUsd: bigint;
    feeRateUnits: bigint;
    discountUnits: bigint;
    amountUnits: bigint;
  };
  INVOICE_UNKNOWN: { transId?: string };
  CURSOR_UNKNOWN: Nothing;
  TOO_MANY_INVOICES: { retryAfterSeconds: number };
  STORE_SWITCHED_OFF: Nothing;
  CALLBACK_UNFIT: { fault: string };
  INVOICE_PAID: Nothing;
  INVOICE_EXPIRED: Nothing;
  INVOICE_OF_TEST_STORE: Nothing;
  INVOICE_WITHOUT_PAYMENT: Nothing;
  INVOICE_ENDS_BY_ITSELF: Nothing;
  INVOICE_PAID_ELSEWHERE: Nothing;
  INVOICE_NOT_COVERED: Nothing;
  INVOICE_CHANGED: Nothing;
  INVOICE_NOT_CANCELLABLE: { status: string };
  INVOICE_NOT_ENDED: { outcome: string; status: string };
  NETWORK_NOT_QUOTED: { transId: string; network: string };

  // Refusals about the sandbox
  STORE_NOT_FOR_TESTS: Nothing;
  METHOD_NOT_SELECTED: { refusal: string };
  TOO_MANY_ACTS: { most: number };
  TOO_MANY_FAULTS: { most: number };
  TOO_MANY_TESTS: { retryAfterSeconds: number };

  // Refusals about transfers
  TRANSFER_UNKNOWN: Nothing;
  TRANSFER_NOT_IN_CHAIN: Nothing;
  TRANSFER_LEFT_CHAIN: Nothing;
  TRANSFER_DISCARDED: Nothing;
  TRANSFER_CONFIRMED: Nothing;
  TRANSFER_NEEDS_NOBODY: Nothing;
  TRANSFER_UNDECIDED_YET: { minutes: number };
  TRANSFER_PAYS_ALREADY: Nothing;
  TRANSFER_TO_ANOTHER_MERCHANT: Nothing;
  TRANSFER_DISMISSED: Nothing;
  TRANSFER_NOT_DISMISSED: Nothing;
  ATTACHMENT_WAITS: Nothing;
  TOPUP_NOT_COVERED: Nothing;
  ATTACHMENT_UNKNOWN: Nothing;
  TOO_MANY_ATTACHMENTS: { most: number };
  TRANSACTION_INVALID: { network: string; txId: string };
  TRANSACTION_READ_BY_ACCOUNT: { network: string };
  TRANSACTION_NOT_AWAITED: { network: string; account: string; txId: string };

  // Refusals about following networks
  NETWORK_FROZEN: { network: string };
  DATABASE_WENT_BACK: Nothing;
  RESTORE_IN_FUTURE: Nothing;
  NETWORK_NOT_FROZEN: { network: string };
  NETWORK_UNDOES_REORGS: { network: string };
  NETWORK_NOT_FOLLOWED: { network: string };
  NETWORK_WITHOUT_NODE: { network: string };
  NETWORK_REORGANISED: { network: string };
  NETWORK_READ_LESS: { network: string; height: number };
  BLOCK_NOT_HELD: { network: string; height: number };
  BLOCK_NOT_AGREED: { height: number };
  BLOCK_DISPUTED: { first: string; second: string; height: number };
  PROVIDER_UNKNOWN: { provider: string; known: readonly string[] };
  PROVIDER_ALONE: { provider: string; said: string };
  PROVIDER_NOT_OURS: { provider: string; height: number };
  PROVIDER_ALONE_BELOW_HEADERS: { provider: string };

  // Refusals about exports
  EXPORT_UNKNOWN: { export: string };
  EXPORT_NOT_READY: { state: string };
  EXPORT_FAILED: { fault: string };
  EXPORT_EXPIRED: Nothing;
  EXPORT_TOO_WIDE: { most: number };
  EXPORTS_UNDER_WAY: { most: number };
  TOO_MANY_EXPORTS: { most: number };
  EXPORTS_TOO_LARGE: { mostBytes: number };

  // Refusals about webhooks
  CALLBACK_INVALID: { maxCharacters: number };
  CALLBACK_UNKNOWN: Nothing;
  EVENT_ERASED: Nothing;
  EVENT_PENDING: Nothing;
  EVENT_UNKNOWN: Nothing;
  TOO_MANY_EVENTS: { most: number };
  TOO_MANY_REDELIVERIES: { most: number; hours: number };
  TOO_MANY_TEST_EVENTS: { most: number };
  ENDPOINT_UNKNOWN: { endpoint: string };
  ENDPOINT_DISABLED: { endpoint: string };
  ENDPOINT_UNCHANGED: { endpoint: string };
  ENDPOINT_WITHOUT_SECRET: { endpointId: string };
  TOO_MANY_ENDPOINTS: { most: number };

  // Refusals about secrets, the key ring and the audit chain
  SECRET_ABANDONED: Nothing;
  RING_MISSING: { path: string };
  RING_NOT_READABLE: { path: string };
  RING_OPEN_TO_OTHERS: { path: string };
  RING_DAMAGED: { path: string };
  RING_EMPTY: { path: string };
  RING_EXISTS: { path: string };
  RING_KNOWN: Nothing;
  RING_UNKNOWN: Nothing;
  RING_UNKNOWN_YET: Nothing;
  RING_NOT_READ_YET: Nothing;
  RING_INCOMPLETE: { keys: readonly string[] };
  RING_LACKS_KEY: { key: string };
  RING_COPY_DIFFERS: { path: string };
  RING_HOLDERS_LACK_KEY: { key: string; holders: readonly string[]; more: number };
  KEY_MALFORMED: { key: string };
  KEY_WRONG: { key: string };
  KEY_UNKNOWN: { key: string };
  KEY_NOT_IN_DATABASE: { key: string };
  KEY_NOT_ADDED: { key: string };
  KEY_SEALS: { key: string };
  KEY_IN_USE: { key: string };
  KEY_IN_RING: { key: string; path: string };
  KEY_HELD: { key: string; holder: string };
  AUDIT_HEAD_MALFORMED: Nothing;
  AUDIT_LINKS_GONE: Nothing;
  AUDIT_SECRET_LOST: Nothing;

  // Refusals about alarms
  ALARM_UNKNOWN: { alarm: string };
  ALARM_ACKNOWLEDGED: { alarm: string; by: string; at: string };

  // Refusals about email
  MAIL_NOT_SET_UP: Nothing;
  MAIL_ADDRESS_INVALID: { address: string };

  // Refusals about the database itself
  DATABASE_ROLE_UNFIT: { user: string; role: string; faults: readonly string[] };
  DATABASE_SESSIONS_SHARED: Nothing;
  DATABASE_ENCODING_UNFIT: { encoding: string };
  LOGIN_UNFIT: { fault: string };
  LOGIN_REFUSED: { role: string };
  DATABASES_DIFFER: Nothing;
  MIGRATION_LOCKED: Nothing;
  MIGRATION_CHANGED: { migration: string };
  SCHEMA_NEWER: { migration: string; needs: string; version: number };
  SCHEMA_BEHIND: Nothing;
  ROLLBACK_VERSION_UNKNOWN: { given: string; oldest: number; newest: number };
  ROLLBACK_REFUSED: {
    version: number;
    obstacle: { migration: string; needs: number } | undefined;
    jobs: { tables: number; supported: number; startsOff: boolean } | undefined;
  };
  DATABASE_TLS: { fault: 'not-trusted' | 'other-host' | 'expired' | 'not-offered' | 'no-root-certificate' };
  JOB_UNKNOWN: { job: string };
  JOB_NOT_WAITING: { state: string };
  EXPORT_NOT_RETRIED: Nothing;
  JOBS_OFF: { version: number; known: number };
  JOBS_NOT_INSTALLED: Nothing;
  JOBS_WITHOUT_SCHEMA: Nothing;
};

type Nothing = Record<string, never>;

export type RefusalCode = keyof Refusals;

/** The details of a refusal code; optional for codes without facts. */
type DetailsOf<Code extends RefusalCode> = Nothing extends Refusals[Code]
  ? [details?: Refusals[Code]]
  : [details: Refusals[Code]];

const asText = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value));

/** The message is for logs; people read each face's text for the code. */
export class Refusal<Code extends RefusalCode = RefusalCode> extends Error {
  readonly code: Code;
  readonly details: Refusals[Code];

  constructor(code: Code, ...[details]: DetailsOf<Code>) {
    const facts = Object.entries(details ?? {}).map(([name, value]) => `${name} ${asText(value)}`);
    super(facts.length > 0 ? `${code}: ${facts.join('; ')}` : code);
    this.name = 'Refusal';
    this.code = code;
    this.details = (details ?? {}) as Refusals[Code];
  }
}
