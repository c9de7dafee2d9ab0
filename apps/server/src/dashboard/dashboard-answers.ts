import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { PublicError } from '../api/public-error.ts';
import type { RefusalCode, Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';
import { unixSeconds } from '../lib/clock.ts';
import { DashboardError } from './dashboard-error.ts';

type Answers = { [Code in RefusalCode]?: (details: Refusals[Code]) => DashboardError };

const unfit = (fault: string) => new DashboardError('METHOD_UNFIT', { details: { fault } });

const ANSWERS: Answers = {
  SIGN_IN_REFUSED: () => new DashboardError('SIGN_IN_REFUSED'),
  FACTOR_WRONG: () => new DashboardError('FACTOR_WRONG'),
  FACTOR_NEEDED: () => new DashboardError('FACTOR_NEEDED'),
  TWO_FACTOR_REQUIRED: () => new DashboardError('TWO_FACTOR_REQUIRED'),
  STEP_UP_NEEDED: () => new DashboardError('STEP_UP_NEEDED'),
  TOO_MANY_ATTEMPTS: (details) => new DashboardError('TOO_MANY_ATTEMPTS', { details }),
  TOO_BUSY: ({ retryAfterSeconds }) =>
    new DashboardError('TOO_MANY_REQUESTS', { details: { retry_after_seconds: retryAfterSeconds } }),
  SESSION_ENDED: () => new DashboardError('NOT_SIGNED_IN'),
  SESSION_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  PASSWORD_UNFIT: (details) => new DashboardError('PASSWORD_UNFIT', { details }),
  LINK_INVALID: () => new DashboardError('LINK_INVALID'),
  REGISTRATION_CLOSED: () => new DashboardError('REGISTRATION_CLOSED'),
  MAIL_NOT_SET_UP: () => new DashboardError('MAIL_NOT_SET_UP'),
  ADDRESS_TAKEN: () => new DashboardError('ADDRESS_TAKEN'),
  FACTOR_MISSING: () => new DashboardError('FACTOR_MISSING'),
  TOO_MANY_RESTORES: () => new DashboardError('TOO_MANY_RESTORES'),
  FACTOR_RESET_OPEN: () => new DashboardError('FACTOR_RESET_OPEN'),
  FACTORS_ARE_OWN: () => new DashboardError('FACTORS_ARE_OWN'),
  PASSKEY_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  RECOVERY_CODES_UNCONFIRMED: () => new DashboardError('RECOVERY_CODES_UNCONFIRMED'),
  TOO_MANY_PASSKEYS: (details) => new DashboardError('TOO_MANY_PASSKEYS', { details }),
  TOO_MANY_MERCHANTS: (details) => new DashboardError('TOO_MANY_MERCHANTS', { details }),
  MERCHANT_WAITS: () => new DashboardError('MERCHANT_WAITS'),
  MERCHANT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  STORE_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  MEMBER_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  INVITATION_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  TOO_MANY_INVITATIONS: (details) => new DashboardError('TOO_MANY_INVITATIONS', { details }),
  INVITATIONS_TOO_FAST: (details) => new DashboardError('INVITATIONS_TOO_FAST', { details }),
  FOLLOW_THE_MAIL: () => new DashboardError('FOLLOW_THE_MAIL'),
  INVITATION_FOR_ANOTHER: () => new DashboardError('INVITATION_FOR_ANOTHER'),
  PERSON_EXISTS: () => new DashboardError('SIGN_IN_FIRST'),
  MEMBER_EXISTS: () => new DashboardError('MEMBER_EXISTS'),
  LAST_OWNER: () => new DashboardError('LAST_OWNER'),
  OWNER_NEEDED: ({ until }) => new DashboardError('OWNER_NEEDED', { details: { until: unixSeconds(new Date(until)) } }),
  ROLE_TOO_HIGH: () => new DashboardError('ROLE_TOO_HIGH'),
  NO_PERMISSION: (details) => new DashboardError('NO_PERMISSION', { details }),
  OPERATORS_ONLY: () => new DashboardError('NOT_FOUND'),
  READ_ONLY_VIEW: () => new DashboardError('READ_ONLY_VIEW'),
  STORES_NOT_OFFERED: () => new DashboardError('STORES_NOT_OFFERED'),
  PLAN_UNKNOWN: () => new DashboardError('STORES_NOT_OFFERED'),
  TOO_MANY_STORES: (details) => new DashboardError('TOO_MANY_STORES', { details }),
  VIEW_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  TOTP_NOT_BEGUN: () => new DashboardError('TOTP_NOT_BEGUN'),
  METHODS_LOCKED: () => new DashboardError('METHODS_LOCKED'),
  METHODS_NOT_LOCKED: () => new DashboardError('METHODS_NOT_LOCKED'),
  METHOD_CHANGE_WAITS: (details) => new DashboardError('METHOD_CHANGE_WAITS', { details }),
  METHOD_CHANGE_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  METHOD_CHANGE_DECIDED: () => new DashboardError('METHOD_CHANGE_DECIDED'),
  TOO_MANY_METHOD_CHANGES: (details) => new DashboardError('TOO_MANY_METHOD_CHANGES', { details }),
  UNLOCK_BY_REQUESTER: (details) => new DashboardError('UNLOCK_BY_REQUESTER', { details }),
  API_KEY_ALONE: () => new DashboardError('API_KEY_ALONE'),
  SECRET_ABANDONED: () => new DashboardError('SECRET_LOST'),
  STORE_WITHOUT_SECRET: () => new DashboardError('SECRET_LOST'),
  STORE_OFF_BY_OPERATOR: () => new DashboardError('STORE_OFF_BY_OPERATOR'),
  STORE_SWITCHED_OFF: () => new DashboardError('STORE_SWITCHED_OFF'),
  LOGO_TOO_LARGE: ({ maxBytes }) =>
    new DashboardError('LOGO_UNFIT', { details: { fault: 'too-large', max_bytes: maxBytes } }),
  LOGO_NOT_A_PICTURE: () => new DashboardError('LOGO_UNFIT', { details: { fault: 'not-a-picture' } }),
  LOGO_OF_WRONG_SIZE: () => new DashboardError('LOGO_UNFIT', { details: { fault: 'wrong-size' } }),
  SUPPORT_URL_UNFIT: ({ maxCharacters }) =>
    new DashboardError('CONTACT_UNFIT', { details: { field: 'support_url', max_characters: maxCharacters } }),
  SUPPORT_MAIL_UNFIT: () => new DashboardError('CONTACT_UNFIT', { details: { field: 'support_email' } }),
  INVOICE_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  EXCHANGE_RATE_UNAVAILABLE: (details) => new DashboardError('EXCHANGE_RATE_UNAVAILABLE', { details }),
  AMOUNT_OUT_OF_RANGE: (details) => new DashboardError('AMOUNT_OUT_OF_RANGE', { details }),
  NO_PAYMENT_METHOD: () => new DashboardError('NO_PAYMENT_METHOD'),
  // Only the fee is shown: not every member who creates invoices may see the balance.
  INSUFFICIENT_BALANCE: ({ feeMicroUsd }) =>
    new DashboardError('INSUFFICIENT_BALANCE', { details: { required_fee: formatMicroUsd(feeMicroUsd) } }),
  TOO_MANY_INVOICES: ({ retryAfterSeconds }) =>
    new DashboardError('TOO_MANY_INVOICES', { details: { retry_after_seconds: retryAfterSeconds } }),
  CALLBACK_UNFIT: (details) => new DashboardError('CALLBACK_UNFIT', { details }),
  TOP_UPS_NOT_SET_UP: () => new DashboardError('TOP_UPS_NOT_SET_UP'),
  TOO_MANY_TOPUPS: (details) => new DashboardError('TOO_MANY_TOPUPS', { details }),
  TOPUP_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  WALLET_EXISTS: () => new DashboardError('METHOD_EXISTS'),
  WALLET_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  ADDRESS_OF_ANOTHER_MERCHANT: () => new DashboardError('METHOD_OF_ANOTHER'),
  ADDRESS_INVALID: () => unfit('address'),
  NETWORK_UNKNOWN: () => unfit('network'),
  SANDBOX_NETWORK: () => unfit('network'),
  EXCHANGE_KEY_NEEDED: () => unfit('key'),
  TEST_STORE_ON_LIVE_NETWORK: () => unfit('test-store'),
  EXPORT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  EXPORT_NOT_READY: (details) => new DashboardError('EXPORT_NOT_READY', { details }),
  EXPORT_FAILED: (details) => new DashboardError('EXPORT_FAILED', { details }),
  EXPORT_EXPIRED: () => new DashboardError('EXPORT_EXPIRED'),
  EXPORT_TOO_WIDE: (details) => new DashboardError('EXPORT_TOO_WIDE', { details }),
  EXPORTS_UNDER_WAY: (details) => new DashboardError('EXPORTS_UNDER_WAY', { details }),
  EXPORTS_TOO_LARGE: ({ mostBytes }) => new DashboardError('EXPORTS_TOO_LARGE', { details: { most_bytes: mostBytes } }),
  TOO_MANY_EXPORTS: (details) => new DashboardError('TOO_MANY_EXPORTS', { details }),
  EVENT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  EVENT_PENDING: () => new DashboardError('EVENT_PENDING'),
  EVENT_ERASED: () => new DashboardError('EVENT_ERASED'),
  TOO_MANY_EVENTS: (details) => new DashboardError('TOO_MANY_EVENTS', { details }),
  TOO_MANY_REDELIVERIES: (details) => new DashboardError('TOO_MANY_REDELIVERIES', { details }),
  TOO_MANY_TEST_EVENTS: (details) => new DashboardError('TOO_MANY_TEST_EVENTS', { details }),
  CALLBACK_INVALID: () => new DashboardError('CALLBACK_UNFIT'),
  CALLBACK_UNKNOWN: () => new DashboardError('CALLBACK_UNKNOWN'),
  ENDPOINT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  ENDPOINT_DISABLED: () => new DashboardError('ENDPOINT_DISABLED'),
  ENDPOINT_UNCHANGED: () => new DashboardError('ENDPOINT_UNCHANGED'),
  TOO_MANY_ENDPOINTS: (details) => new DashboardError('TOO_MANY_ENDPOINTS', { details }),
  TRANSFER_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  ATTACHMENT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  TRANSFER_PAYS_ALREADY: () => new DashboardError('TRANSFER_PAYS_ALREADY'),
  TRANSFER_LEFT_CHAIN: () => new DashboardError('TRANSFER_LEFT_CHAIN'),
  TRANSFER_DISMISSED: () => new DashboardError('TRANSFER_DISMISSED'),
  TRANSFER_NOT_DISMISSED: () => new DashboardError('TRANSFER_NOT_DISMISSED'),
  INVOICE_NOT_CANCELLABLE: ({ status }) => new DashboardError('INVOICE_NOT_CANCELLABLE', { details: { status } }),
  INVOICE_PAID: () => new DashboardError('INVOICE_PAID'),
  INVOICE_OF_TEST_STORE: () => new DashboardError('INVOICE_OF_TEST_STORE'),
  STORE_NOT_FOR_TESTS: () => new DashboardError('STORE_NOT_FOR_TESTS'),
  TOO_MANY_ACTS: (details) => new DashboardError('TOO_MANY_ACTS', { details }),
  TOO_MANY_TESTS: ({ retryAfterSeconds }) =>
    new DashboardError('TOO_MANY_REQUESTS', { details: { retry_after_seconds: retryAfterSeconds } }),
  ATTACHMENT_WAITS: () => new DashboardError('ATTACHMENT_WAITS'),
  TOO_MANY_ATTACHMENTS: (details) => new DashboardError('TOO_MANY_ATTACHMENTS', { details }),
};

function answerRefusal<Code extends RefusalCode>({ code, details }: Refusal<Code>): DashboardError | undefined {
  const answer: Answers[Code] = ANSWERS[code];
  return answer?.(details);
}

const NOT_FOUND = 404;
const CLIENT_FAULT = 400;
const SERVER_FAULT = 500;

/** The status of a framework or body error: a caller can disconnect while sending. */
function statusOf(cause: unknown): unknown {
  if (cause instanceof PublicError) return cause.status;
  return typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'statusCode') : undefined;
}

/** Unknown causes are internal errors. */
export function toDashboardError(cause: unknown): DashboardError {
  if (cause instanceof DashboardError) return cause;
  const answer = cause instanceof Refusal ? answerRefusal(cause) : undefined;
  if (answer) return answer;
  const status = statusOf(cause);
  if (status === NOT_FOUND) return new DashboardError('NOT_FOUND');
  const isTheirs = typeof status === 'number' && status >= CLIENT_FAULT && status < SERVER_FAULT;
  return new DashboardError(isTheirs ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR', { cause });
}
