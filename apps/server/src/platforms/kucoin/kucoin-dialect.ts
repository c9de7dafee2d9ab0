import { z } from 'zod';
import type { SourceErrorKind } from '../../sources/chain-source.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Dialect } from '../exchange/ask-platform.ts';

/** Envelope and refusals of KuCoin: www.kucoin.com/docs-new, "Error Code" and "Rate Limit". */

const envelopeSchema = z.object({ code: z.string().regex(/^\d{1,6}$/) });

const ACCEPTED = '200000';
const OK = 200;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
/** The window of all quotas, and how long an IP address stays blocked. */
const USUAL_PAUSE_MS = 30_000;

/** A blocked IP address. */
const ADDRESS_CODE = '1015';
/** Rate limits of the account, of an endpoint (older), and of our IP address. */
const RATE_CODES = ['429000', '200002', ADDRESS_CODE];
const TIME_CODES = ['400002'];
const VERSION_CODE = '400009';
/**
 * Refusals that a repeated request does not change: of the key, its permissions, region or IP addresses, a frozen
 * account, or a request that KuCoin no longer supports.
 */
const FINAL_CODES = [
  '400001 400003 400004 400005 400006 400007 400008 400009 400010 400100 400301 400302 400303',
  '400500 400700 404000 411100 415000',
].flatMap((line) => line.split(' '));

const KIND_BY_CODE = new Map<string, SourceErrorKind>([
  ...RATE_CODES.map((code) => [code, 'rate'] as const),
  ...TIME_CODES.map((code) => [code, 'not-yet'] as const),
  ...FINAL_CODES.map((code) => [code, 'unsupported'] as const),
]);

const messageOf = (code: string) => `KuCoin refused with code ${code}.`;

/** Whether KuCoin refused the version of the key. */
export function refusesVersion(cause: unknown): boolean {
  return cause instanceof SourceError && cause.message === messageOf(VERSION_CODE);
}

/** The meaning of an HTTP status without a code. */
function statusRefusalOf(status: number): SourceError {
  const message = `KuCoin answered ${status} without a code.`;
  if (status === OK) return new SourceError('inconsistent', message);
  return new SourceError(status === UNAUTHORIZED ? 'unsupported' : 'unavailable', message);
}

export const kucoinDialect: Dialect = {
  /** Shows only the code: the text may contain our IP address. */
  readRefusal: (answer, status) => {
    const parsed = envelopeSchema.safeParse(answer);
    if (!parsed.success || (parsed.data.code === ACCEPTED && status !== OK)) return statusRefusalOf(status);
    const { code } = parsed.data;
    if (code === ACCEPTED) return undefined;
    const kind = KIND_BY_CODE.get(code) ?? 'unavailable';
    const options = kind === 'rate' ? { retryAfterMs: USUAL_PAUSE_MS } : {};
    return new SourceError(kind, messageOf(code), options);
  },
  /**
   * The code comes before the status: 403 also answers a key whose allow-list lacks our IP address (400006), which
   * concerns no other key. Without a code it is a block of our IP address. Private requests are counted by account, so
   * other pauses concern only that.
   */
  pauseScopeOf: (status, { account }, answer) => {
    const code = envelopeSchema.safeParse(answer).data?.code;
    if (code === ADDRESS_CODE || (code === undefined && status === FORBIDDEN)) return 'address';
    if (code !== undefined && KIND_BY_CODE.get(code) === 'unsupported') return undefined;
    if (status !== TOO_MANY_REQUESTS && status !== FORBIDDEN) return undefined;
    return account === undefined ? 'address' : 'account';
  },
  usualPauseMs: USUAL_PAUSE_MS,
};
