/**
 * All errors of the merchant API with code, status and exact text. The first block is the public contract, the second
 * has our own codes for cases that it leaves open.
 */
export const PUBLIC_ERRORS = {
  MISSING_API_KEY: [401, 'Missing API key. Please provide x-api-key header.'],
  INVALID_API_KEY: [401, 'Invalid API key. Please check your API key and try again.'],
  ACCOUNT_INACTIVE: [403, 'Merchant account is inactive. Please contact support to reactivate.'],
  STORE_INACTIVE: [403, 'Store is inactive. Please contact support to reactivate your store.'],
  AUTHENTICATION_FAILED: [500, 'Authentication failed. Please try again later.'],
  VALIDATION_ERROR: [400, 'Validation failed. Please check your request body.'],
  INVALID_MERCHANT_ID: [400, 'Invalid merchant_id. The merchant_id does not match your API key.'],
  NO_PAYMENT_METHOD: [400, 'No payment method configured. Please add at least one wallet or exchange platform.'],
  INSUFFICIENT_BALANCE: [402, 'Insufficient balance. Please top-up your account to continue.'],
  INVOICE_NOT_FOUND: [404, 'Invoice not found.'],
  MISSING_TRANS_ID: [400, 'Missing trans_id in URL.'],
  INVALID_TRANS_ID_FORMAT: [400, 'Invalid trans_id format.'],
  RATE_LIMIT_EXCEEDED: [429, 'Rate limit exceeded.'],
  INTERNAL_ERROR: [500, 'Internal server error. Please try again later.'],

  NOT_FOUND: [404, 'Not found. The API has no such path.'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type. Please send application/json.'],
  PAYLOAD_TOO_LARGE: [413, 'Payload too large. The request body may hold at most 16 kB.'],
  BAD_REQUEST: [400, 'Bad request.'],
  REQUEST_TIMEOUT: [408, 'Request timeout. The request did not arrive in time.'],
  HEADERS_TOO_LARGE: [431, 'Request header fields too large.'],
  HTTPS_REQUIRED: [403, 'HTTPS required. Please use https.'],
} as const satisfies Record<string, readonly [number, string]>;

/** Errors of the merchant API beyond the public contract. */
const MERCHANT_ERRORS = {
  INVOICE_NOT_CANCELLABLE: [409, 'Invoice cannot be cancelled. It has ended, or a payment for it was seen.'],
  CANCEL_PENDING: [503, 'The cancellation is queued. Please repeat the request to learn its outcome.'],
  EXCHANGE_RATE_UNAVAILABLE: [503, 'No exchange rate is available for this currency. Please try again later.'],
} as const satisfies Record<string, readonly [number, string]>;

/** Errors of the sandbox API only, outside the public contract. */
export const SANDBOX_ERRORS = {
  TEST_KEY_REQUIRED: [403, 'Test key required. The sandbox answers keys of test stores (cf_test_) only.'],
  METHOD_NOT_SELECTED: [409, 'No payment method could be selected.'],
  TOO_MANY_ACTS: [409, 'Too many actions. Please create another invoice.'],
  TOO_MANY_FAULTS: [409, 'Too many faults have not started yet. Please try again soon.'],
} as const satisfies Record<string, readonly [number, string]>;

const ALL_ERRORS = { ...PUBLIC_ERRORS, ...MERCHANT_ERRORS, ...SANDBOX_ERRORS };

export type PublicErrorCode = keyof typeof ALL_ERRORS;

type PublicErrorOptions = {
  /** Replaces the table's text where the contract varies it. */
  message?: string;
  details?: Record<string, unknown>;
  /** Top-level fields beside `error_code`. */
  extra?: Record<string, unknown>;
  cause?: unknown;
};

/** An error as the caller gets it; others are translated, or answered as INTERNAL_ERROR. */
export class PublicError extends Error {
  readonly code: PublicErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly extra: Record<string, unknown> | undefined;

  constructor(code: PublicErrorCode, options: PublicErrorOptions = {}) {
    const [status, message] = ALL_ERRORS[code];
    super(options.message ?? message, { cause: options.cause });
    this.name = 'PublicError';
    this.code = code;
    this.status = status;
    this.details = options.details;
    this.extra = options.extra;
  }
}

type FieldError = { field: string; message: string };

export function invalidFields(errors: FieldError[]): PublicError {
  return new PublicError('VALIDATION_ERROR', { details: { errors } });
}
