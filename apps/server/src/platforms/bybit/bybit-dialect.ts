import { z } from 'zod';
import type { SourceErrorKind } from '../../sources/chain-source.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Dialect } from '../exchange/ask-platform.ts';

/** Envelope and refusals of Bybit: bybit-exchange.github.io/docs/v5/error and /rate-limit. */

const envelopeSchema = z.object({ retCode: z.int() });

const ACCEPTED = 0;
const OK = 200;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;

/** A ban of our IP address names no time; the documentation says "Wait for at least 10 minutes". */
const BAN_MS = 600_000;
/** Account quotas are counted in rolling seconds. */
const ACCOUNT_PAUSE_MS = 1_000;

/** "Exceeded the IP Rate Limit". Status 403 without a code means the same. */
const ADDRESS_CODE = 10_018;
/** Rate limits: 10429 and 429 of the platform, 10006 of the account. */
const RATE_CODES = [429, 10_006, ADDRESS_CODE, 10_429];
const TIME_CODES = [-1, 10_002];
/** Refusals that a repetition does not change: of the key, the account, or an unsupported request. */
const FINAL_CODES = '-2015 10001 10003 10004 10005 10007 10008 10009 10010 10017 10024 10027 10028 33004 100028'
  .split(' ')
  .map(Number);

const KIND_BY_CODE = new Map<number, SourceErrorKind>([
  ...RATE_CODES.map((code) => [code, 'rate'] as const),
  ...TIME_CODES.map((code) => [code, 'not-yet'] as const),
  ...FINAL_CODES.map((code) => [code, 'unsupported'] as const),
]);

function refusalOf(code: number): SourceError {
  const kind = KIND_BY_CODE.get(code) ?? 'unavailable';
  const retryAfterMs = code === ADDRESS_CODE ? BAN_MS : ACCOUNT_PAUSE_MS;
  const options = kind === 'rate' ? { retryAfterMs } : {};
  return new SourceError(kind, `Bybit refused with code ${code}.`, options);
}

/** The meaning of an HTTP status without a code. */
function statusRefusalOf(status: number): SourceError {
  const message = `Bybit answered ${status} without a code.`;
  if (status === OK) return new SourceError('inconsistent', message);
  if (status === TOO_MANY_REQUESTS) return new SourceError('rate', message, { retryAfterMs: ACCOUNT_PAUSE_MS });
  if (status === UNAUTHORIZED || status === NOT_FOUND) return new SourceError('unsupported', message);
  return new SourceError('unavailable', message);
}

export const bybitDialect: Dialect = {
  readRefusal: (answer, status) => {
    const parsed = envelopeSchema.safeParse(answer);
    if (!parsed.success || (parsed.data.retCode === ACCEPTED && status !== OK)) return statusRefusalOf(status);
    return parsed.data.retCode === ACCEPTED ? undefined : refusalOf(parsed.data.retCode);
  },
  /** 403 is a ban of our IP address. Countries that Bybit does not serve get it too, where a pause changes nothing. */
  pauseScopeOf: (status, _entry, answer) => {
    const isOfAddress = envelopeSchema.safeParse(answer).data?.retCode === ADDRESS_CODE;
    return status === FORBIDDEN || isOfAddress ? 'address' : undefined;
  },
  usualPauseMs: BAN_MS,
};
