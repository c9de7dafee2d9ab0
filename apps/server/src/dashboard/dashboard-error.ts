/** Every error that the dashboard's server answers: its code, HTTP status and text. */
const DASHBOARD_ERRORS = {
  NOT_SIGNED_IN: [401, 'Please sign in.'],
  FOREIGN_REQUEST: [403, 'This request does not come from the dashboard.'],
  SIGN_IN_REFUSED: [401, 'The mail address or the password is wrong.'],
  FACTOR_WRONG: [401, 'The code is wrong or was used already.'],
  FACTOR_NEEDED: [403, 'A second factor is needed.'],
  STEP_UP_NEEDED: [403, 'Please prove again who you are.'],
  TOO_MANY_ATTEMPTS: [429, 'There were too many attempts. Please try again later.'],
  PASSWORD_UNFIT: [400, 'Please choose another password.'],
  LINK_INVALID: [400, 'The link is unknown, was used, or is too old.'],
  TOTP_NOT_BEGUN: [409, 'There is no authenticator app.'],
  TOO_MANY_PASSKEYS: [409, 'You have too many passkeys. Please remove one first.'],
  NO_PERMISSION: [403, 'Your role does not allow this.'],
  ROLE_TOO_HIGH: [403, 'Only an owner can do this.'],
  SIGN_IN_FIRST: [409, 'You can sign in already. Please sign in to accept the invitation.'],
  MEMBER_EXISTS: [409, 'This person is a member already.'],
  LAST_OWNER: [409, 'A merchant has at least one owner.'],
  INVITATION_FOR_ANOTHER: [403, 'The invitation is for another mail address.'],
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
