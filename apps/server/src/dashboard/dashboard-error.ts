import type { DashboardErrorCode } from '@counterfoil/core/refusal-code.ts';

export const DASHBOARD_ERRORS = {
  NOT_SIGNED_IN: [401, 'Please sign in.'],
  FOREIGN_REQUEST: [403, 'This request does not come from the dashboard.'],
  SIGN_IN_REFUSED: [401, 'The email address or the password is wrong.'],
  FACTOR_WRONG: [401, 'The code is wrong or was already used.'],
  FACTOR_NEEDED: [403, 'A two-factor method is required.'],
  TWO_FACTOR_REQUIRED: [403, 'This account requires two-factor authentication. Please set it up to continue.'],
  STEP_UP_NEEDED: [403, 'Please confirm that it is you.'],
  TOO_MANY_ATTEMPTS: [429, 'There were too many attempts. Please try again later.'],
  TOO_MANY_REQUESTS: [429, 'There were too many requests. Please try again shortly.'],
  PASSWORD_UNFIT: [400, 'Please choose another password.'],
  LINK_INVALID: [400, 'The link is unknown, was used, or is too old.'],
  REGISTRATION_CLOSED: [403, 'Registration is closed. Please ask your operator to create an account.'],
  MAIL_NOT_SET_UP: [409, 'Email is not set up on this server. Please ask your operator for a link.'],
  ADDRESS_TAKEN: [409, 'This email address cannot be used.'],
  FACTOR_MISSING: [409, 'This person has no two-factor method.'],
  TOO_MANY_RESTORES: [
    409,
    'The restore was requested three times in seven days. Use an earlier two-factor method, or contact your operator.',
  ],
  FACTOR_RESET_OPEN: [409, 'This has already been requested.'],
  FACTORS_ARE_OWN: [409, 'You cannot reset your own two-factor methods. Another owner can.'],
  TOTP_NOT_BEGUN: [409, 'There is no authenticator app.'],
  RECOVERY_CODES_UNCONFIRMED: [409, 'Confirm that you have saved your recovery codes first.'],
  TOO_MANY_PASSKEYS: [409, 'You have too many passkeys. Please remove one first.'],
  NO_PERMISSION: [403, 'Your role does not allow this.'],
  READ_ONLY_VIEW: [403, 'This is a read-only support session. Nothing can be changed.'],
  STORES_NOT_OFFERED: [409, 'Stores are created by your operator. Please contact them.'],
  TOO_MANY_STORES: [409, 'You have reached your limit of stores. Please contact your operator.'],
  ROLE_TOO_HIGH: [403, 'Only an owner can do this.'],
  SIGN_IN_FIRST: [409, 'You already have an account. Please sign in to accept the invitation.'],
  MEMBER_EXISTS: [409, 'This person is already a member.'],
  LAST_OWNER: [409, 'A merchant must have at least one owner.'],
  OWNER_NEEDED: [
    409,
    'A payment-method change that someone else requested is pending. Stop it first, or wait until it has taken effect.',
  ],
  TOO_MANY_INVITATIONS: [409, 'Too many invitations are pending. Please withdraw one first.'],
  INVITATIONS_TOO_FAST: [429, 'Too many invitations were sent. Please try again in an hour.'],
  FOLLOW_THE_MAIL: [403, 'Please open the link in the email that was sent to the invited address.'],
  INVITATION_FOR_ANOTHER: [403, 'The invitation is for another email address.'],
  METHODS_LOCKED: [409, 'Changes are locked. An owner can unlock them.'],
  METHODS_NOT_LOCKED: [409, 'Changes are not locked.'],
  METHOD_CHANGE_WAITS: [409, 'A change on this network is already pending.'],
  METHOD_CHANGE_DECIDED: [409, 'The change is no longer pending.'],
  TOO_MANY_METHOD_CHANGES: [429, 'There were too many changes today. Please try again tomorrow.'],
  UNLOCK_BY_REQUESTER: [403, 'Another owner must unlock, because you requested a change that was stopped.'],
  API_KEY_ALONE: [409, 'There is only one API key.'],
  SECRET_LOST: [409, 'It can no longer be shown. Please create a new one.'],
  STORE_OFF_BY_OPERATOR: [409, 'Your operator switched this store off. Please contact them.'],
  LOGO_UNFIT: [400, 'The logo cannot be used.'],
  CONTACT_UNFIT: [400, 'This support contact cannot be used.'],
  TOP_UPS_NOT_SET_UP: [409, 'Balances cannot be topped up here. Please contact your operator.'],
  TOO_MANY_TOPUPS: [429, 'There were too many top-ups today. Please pay one that is open, or try again tomorrow.'],
  METHOD_EXISTS: [409, 'The store already receives payments there.'],
  METHOD_OF_ANOTHER: [409, 'This address belongs to another merchant.'],
  METHOD_UNFIT: [400, 'The store cannot receive there.'],
  NO_PAYMENT_METHOD: [409, 'The store has no payment method yet. Please add one first.'],
  INSUFFICIENT_BALANCE: [402, 'The balance of the store does not cover the fee. Please top it up.'],
  TOO_MANY_INVOICES: [429, 'The store has created many invoices just now. Please try again in a moment.'],
  STORE_SWITCHED_OFF: [409, 'The store is switched off.'],
  CALLBACK_UNFIT: [400, 'Webhooks cannot be sent to this address.'],
  EXPORT_NOT_READY: [409, 'The file is not ready yet.'],
  EXPORT_FAILED: [410, 'The file could not be created. Please select fewer rows, or try again.'],
  EXPORT_EXPIRED: [410, 'The file was deleted after its retention period. Please create it again.'],
  EXPORT_TOO_WIDE: [400, 'There are too many stores for one file. Please choose one.'],
  EXPORTS_UNDER_WAY: [409, 'Other files are being created. Please wait until one is ready.'],
  EXPORTS_TOO_LARGE: [409, 'The stored files are too large for another one. Please wait until one is deleted.'],
  TOO_MANY_EXPORTS: [409, 'Too many files are stored. Please wait until one is deleted.'],
  EVENT_PENDING: [409, 'The event is already being sent.'],
  EVENT_ERASED: [409, 'The event is too old to be resent.'],
  TOO_MANY_EVENTS: [409, 'Too many events match. Please choose a shorter period.'],
  TOO_MANY_REDELIVERIES: [429, 'Too many events were resent today. Please try again tomorrow.'],
  TOO_MANY_TEST_EVENTS: [429, 'There were too many test events. Please try again in an hour.'],
  CALLBACK_UNKNOWN: [409, 'The store has no callback URL yet. Please enter one.'],
  ENDPOINT_DISABLED: [409, 'The webhook endpoint is disabled. Please enable it first.'],
  ENDPOINT_UNCHANGED: [409, 'The webhook endpoint already is as requested.'],
  TOO_MANY_ENDPOINTS: [409, 'The store has as many webhook endpoints as it can have. Please delete one first.'],
  TRANSFER_PAYS_ALREADY: [409, 'The payment already pays an invoice.'],
  TRANSFER_LEFT_CHAIN: [409, 'The payment is no longer in the chain.'],
  TRANSFER_DISMISSED: [409, 'The payment is already dismissed.'],
  TRANSFER_NOT_DISMISSED: [409, 'The payment is not dismissed.'],
  INVOICE_NOT_CANCELLABLE: [409, 'The invoice cannot be cancelled: it has ended, or a payment for it was seen.'],
  INVOICE_PAID: [409, 'The invoice is already paid.'],
  INVOICE_OF_TEST_STORE: [409, 'An invoice of a test store cannot receive real payments.'],
  STORE_NOT_FOR_TESTS: [409, 'The store is live: test actions are not possible.'],
  TOO_MANY_ACTS: [409, 'This invoice has reached its limit of test actions. Please create another one.'],
  ATTACHMENT_WAITS: [409, 'Another invoice was just selected for this payment.'],
  TOO_MANY_ATTACHMENTS: [429, 'Too many payments were attached today. Please try again tomorrow.'],
  VALIDATION_ERROR: [400, 'Please check your input.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Please send application/json.'],
  PAYLOAD_TOO_LARGE: [413, 'The request is too large.'],
  NOT_FOUND: [404, 'Not found.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. Please try again later.'],
} as const satisfies Record<DashboardErrorCode, readonly [number, string]>;

/** An error as the caller gets it. */
export class DashboardError extends Error {
  readonly code: DashboardErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: DashboardErrorCode, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    const [status, message] = DASHBOARD_ERRORS[code];
    super(message, { cause: options.cause });
    this.name = 'DashboardError';
    this.code = code;
    this.status = status;
    this.details = options.details;
  }
}
