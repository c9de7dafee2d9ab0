/** Every error that the dashboard's server answers: its code, HTTP status and text. */
export const DASHBOARD_ERRORS = {
  NOT_SIGNED_IN: [401, 'Please sign in.'],
  FOREIGN_REQUEST: [403, 'This request does not come from the dashboard.'],
  SIGN_IN_REFUSED: [401, 'The mail address or the password is wrong.'],
  FACTOR_WRONG: [401, 'The code is wrong or was used already.'],
  FACTOR_NEEDED: [403, 'A second factor is needed.'],
  TWO_FACTOR_REQUIRED: [403, 'This account requires two-factor authentication. Please set it up to continue.'],
  STEP_UP_NEEDED: [403, 'Please prove again who you are.'],
  TOO_MANY_ATTEMPTS: [429, 'There were too many attempts. Please try again later.'],
  TOO_MANY_REQUESTS: [429, 'There were too many requests. Please try again shortly.'],
  PASSWORD_UNFIT: [400, 'Please choose another password.'],
  LINK_INVALID: [400, 'The link is unknown, was used, or is too old.'],
  REGISTRATION_CLOSED: [403, 'Nobody can register here by themselves. Please ask whoever runs this server.'],
  MAIL_NOT_SET_UP: [409, 'This server sends no mail. Please ask whoever runs it for a link.'],
  ADDRESS_TAKEN: [409, 'This mail address cannot be used.'],
  FACTOR_MISSING: [409, 'This person has no second factor.'],
  TOO_MANY_RESTORES: [
    409,
    'The restore was requested three times in seven days. Use an earlier two-factor method, or contact your operator.',
  ],
  FACTOR_RESET_OPEN: [409, 'Somebody has asked for this already.'],
  FACTORS_ARE_OWN: [409, 'You cannot reset your own second factors. Another owner can.'],
  TOTP_NOT_BEGUN: [409, 'There is no authenticator app.'],
  TOO_MANY_PASSKEYS: [409, 'You have too many passkeys. Please remove one first.'],
  NO_PERMISSION: [403, 'Your role does not allow this.'],
  READ_ONLY_VIEW: [403, 'You are looking at this merchant, and can change nothing.'],
  STORES_NOT_OFFERED: [409, 'Stores are created by those who run this service. Please ask them.'],
  TOO_MANY_STORES: [409, 'You have as many stores as you can create. Please ask those who run this service.'],
  ROLE_TOO_HIGH: [403, 'Only an owner can do this.'],
  SIGN_IN_FIRST: [409, 'You can sign in already. Please sign in to accept the invitation.'],
  MEMBER_EXISTS: [409, 'This person is a member already.'],
  LAST_OWNER: [409, 'A merchant has at least one owner.'],
  OWNER_NEEDED: [
    409,
    'A payment-method change that someone else requested is pending. Stop it first, or wait until it has taken effect.',
  ],
  TOO_MANY_INVITATIONS: [409, 'Too many invitations are waiting. Please take one back first.'],
  INVITATIONS_TOO_FAST: [429, 'Too many invitations were sent. Please try again in an hour.'],
  FOLLOW_THE_MAIL: [403, 'Please follow the link in the mail that was sent to the invited address.'],
  INVITATION_FOR_ANOTHER: [403, 'The invitation is for another mail address.'],
  METHODS_LOCKED: [409, 'Changes are locked. An owner can unlock them.'],
  METHODS_NOT_LOCKED: [409, 'Changes are not locked.'],
  METHOD_CHANGE_WAITS: [409, 'A change on this network is waiting already.'],
  METHOD_CHANGE_DECIDED: [409, 'The change does not wait any more.'],
  TOO_MANY_METHOD_CHANGES: [429, 'There were too many changes today. Please try again tomorrow.'],
  UNLOCK_BY_REQUESTER: [403, 'Another owner must unlock, because you asked for a change that was stopped.'],
  API_KEY_ALONE: [409, 'There is only one API key.'],
  SECRET_LOST: [409, 'It cannot be shown any more. Please make a new one.'],
  STORE_OFF_BY_OPERATOR: [409, 'Those who run this service switched the store off. Please ask them.'],
  LOGO_UNFIT: [400, 'The logo cannot be used.'],
  CONTACT_UNFIT: [400, 'Payers cannot be sent there.'],
  TOP_UPS_NOT_SET_UP: [409, 'Balances cannot be topped up here. Please ask those who run this service.'],
  TOO_MANY_TOPUPS: [429, 'There were too many top-ups today. Please pay one that is open, or try again tomorrow.'],
  METHOD_EXISTS: [409, 'The store receives there already.'],
  METHOD_OF_ANOTHER: [409, 'This address belongs to another merchant.'],
  METHOD_UNFIT: [400, 'The store cannot receive there.'],
  NO_PAYMENT_METHOD: [409, 'The store receives nowhere yet. Please add a payment method first.'],
  INSUFFICIENT_BALANCE: [402, 'The balance of the store does not cover the fee. Please top it up.'],
  TOO_MANY_INVOICES: [429, 'The store has created many invoices just now. Please try again in a moment.'],
  STORE_SWITCHED_OFF: [409, 'The store is switched off.'],
  CALLBACK_UNFIT: [400, 'Webhooks cannot be sent to this address.'],
  EXPORT_NOT_READY: [409, 'The file is not ready yet.'],
  EXPORT_FAILED: [410, 'The file could not be made. Please ask for fewer rows, or try again.'],
  EXPORT_EXPIRED: [410, 'The file was deleted after its time. Please make it again.'],
  EXPORT_TOO_WIDE: [400, 'There are too many stores for one file. Please choose one.'],
  EXPORTS_UNDER_WAY: [409, 'Other files are being made. Please wait until one is ready.'],
  EXPORTS_TOO_LARGE: [409, 'The files that are kept are too large for another one. Please wait until one is deleted.'],
  TOO_MANY_EXPORTS: [409, 'Too many files are kept. Please wait until one is deleted.'],
  EVENT_PENDING: [409, 'The event is being sent already.'],
  EVENT_ERASED: [409, 'The event is too old to be sent again.'],
  TOO_MANY_EVENTS: [409, 'These are too many events. Please choose a shorter time.'],
  TOO_MANY_REDELIVERIES: [429, 'Too many events were sent again today. Please try again tomorrow.'],
  TOO_MANY_TEST_EVENTS: [429, 'There were too many test events. Please try again in an hour.'],
  CALLBACK_UNKNOWN: [409, 'The store has no callback address yet. Please name one.'],
  TRANSFER_PAYS_ALREADY: [409, 'The money pays an invoice already.'],
  TRANSFER_LEFT_CHAIN: [409, 'The payment is no longer in the chain.'],
  TRANSFER_DISMISSED: [409, 'The money is put aside already.'],
  TRANSFER_NOT_DISMISSED: [409, 'The money is not put aside.'],
  INVOICE_PAID: [409, 'The invoice is paid already.'],
  INVOICE_OF_TEST_STORE: [409, 'An invoice of a test store takes no real money.'],
  STORE_NOT_FOR_TESTS: [409, 'The store is live: nothing is tested there.'],
  TOO_MANY_ACTS: [409, 'This invoice was asked for too much. Please create another one.'],
  ATTACHMENT_WAITS: [409, 'Somebody has just chosen another invoice for this money.'],
  TOO_MANY_ATTACHMENTS: [429, 'Too much was attached today. Please try again tomorrow.'],
  VALIDATION_ERROR: [400, 'Please check what you sent.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Please send application/json.'],
  PAYLOAD_TOO_LARGE: [413, 'The request is too large.'],
  NOT_FOUND: [404, 'There is nothing here.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. Please try again later.'],
} as const satisfies Record<string, readonly [number, string]>;

type DashboardErrorCode = keyof typeof DASHBOARD_ERRORS;

/** An error in the form that the dashboard's caller gets. */
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
