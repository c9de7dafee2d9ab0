import type { RefusalCode, Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';
import { DashboardError } from './dashboard-error.ts';

/** Answers of the dashboard's server to refusals of verbs, and to errors of the framework. */

type Answers = { [Code in RefusalCode]?: (details: Refusals[Code]) => DashboardError };

const ANSWERS: Answers = {
  SIGN_IN_REFUSED: () => new DashboardError('SIGN_IN_REFUSED'),
  FACTOR_WRONG: () => new DashboardError('FACTOR_WRONG'),
  FACTOR_NEEDED: () => new DashboardError('FACTOR_NEEDED'),
  STEP_UP_NEEDED: () => new DashboardError('STEP_UP_NEEDED'),
  TOO_MANY_ATTEMPTS: (details) => new DashboardError('TOO_MANY_ATTEMPTS', { details }),
  SESSION_ENDED: () => new DashboardError('NOT_SIGNED_IN'),
  SESSION_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  PASSWORD_UNFIT: (details) => new DashboardError('PASSWORD_UNFIT', { details }),
  LINK_INVALID: () => new DashboardError('LINK_INVALID'),
  PASSKEY_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  TOO_MANY_PASSKEYS: (details) => new DashboardError('TOO_MANY_PASSKEYS', { details }),
  MERCHANT_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  STORE_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  MEMBER_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  INVITATION_UNKNOWN: () => new DashboardError('NOT_FOUND'),
  INVITATION_FOR_ANOTHER: () => new DashboardError('INVITATION_FOR_ANOTHER'),
  PERSON_EXISTS: () => new DashboardError('SIGN_IN_FIRST'),
  MEMBER_EXISTS: () => new DashboardError('MEMBER_EXISTS'),
  LAST_OWNER: () => new DashboardError('LAST_OWNER'),
  ROLE_TOO_HIGH: () => new DashboardError('ROLE_TOO_HIGH'),
  NO_PERMISSION: (details) => new DashboardError('NO_PERMISSION', { details }),
  TOTP_NOT_BEGUN: () => new DashboardError('TOTP_NOT_BEGUN'),
};

function answerRefusal<Code extends RefusalCode>({ code, details }: Refusal<Code>): DashboardError | undefined {
  const answer: Answers[Code] = ANSWERS[code];
  return answer?.(details);
}

const NOT_FOUND = 404;
const CLIENT_FAULT = 400;
const SERVER_FAULT = 500;

/** The error that a caller gets for whatever a handler or the framework threw; what nobody foresaw is our fault. */
export function toDashboardError(cause: unknown): DashboardError {
  if (cause instanceof DashboardError) return cause;
  const answer = cause instanceof Refusal ? answerRefusal(cause) : undefined;
  if (answer) return answer;
  const status: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'statusCode') : undefined;
  if (status === NOT_FOUND) return new DashboardError('NOT_FOUND');
  const isTheirs = typeof status === 'number' && status >= CLIENT_FAULT && status < SERVER_FAULT;
  return new DashboardError(isTheirs ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR', { cause });
}
