import { z } from 'zod';
import type { Dialect } from '../exchange/ask-platform.ts';
import type { SourceErrorKind } from '../../sources/chain-source.ts';
import { SourceError } from '../../sources/chain-source.ts';

/** Envelope and refusals of OKX: www.okx.com/docs-v5, "Error code", "REST API", "Public". */

const envelopeSchema = z.object({ code: z.string().regex(/^\d{1,6}(_\d{1,6})?$/) });

const ACCEPTED = '0';
const OK = 200;
const TOO_MANY_REQUESTS = 429;
/** OKX counts its limits in one or two seconds. */
const USUAL_PAUSE_MS = 2_000;

/** Rate limits and busy systems. The first comes with status 200 or 429. */
const RATE_CODES = ['50011', '50013', '50040', '50061'];
/** The request's time is too old or missing. */
const TIME_CODES = ['50102', '50112'];
/**
 * Refusals that a repeated request does not change: of the key, its permissions, region or IP addresses, the account,
 * or a request that OKX no longer supports.
 */
const FINAL_CODES = [
  '50007 50008 50012 50014 50030 50035 50041 50051 50059 50060',
  '50100 50101 50103 50104 50105 50106 50107 50108 50109 50110 50111 50113 50114 50115 50118 50119 50120 50121',
  '51000',
].flatMap((line) => line.split(' '));

const KIND_BY_CODE = new Map<string, SourceErrorKind>([
  ...RATE_CODES.map((code) => [code, 'rate'] as const),
  ...TIME_CODES.map((code) => [code, 'not-yet'] as const),
  ...FINAL_CODES.map((code) => [code, 'unsupported'] as const),
]);

export const okxDialect: Dialect = {
  /** Shows only the code: the text may contain our IP address. */
  readRefusal: (answer, status) => {
    const parsed = envelopeSchema.safeParse(answer);
    // Without a code the answer comes from a proxy, or is undocumented.
    if (!parsed.success)
      return new SourceError(status === OK ? 'inconsistent' : 'unavailable', `OKX answered ${status} without a code.`);
    const { code } = parsed.data;
    if (code === ACCEPTED) return undefined;
    const [main = code] = code.split('_');
    const kind = KIND_BY_CODE.get(main) ?? 'unavailable';
    const options = kind === 'rate' ? { retryAfterMs: USUAL_PAUSE_MS } : {};
    return new SourceError(kind, `OKX refused with code ${code}.`, options);
  },
  /** 429 pauses the account for private requests, and our IP address for public ones ("Rate Limits"). */
  pauseScopeOf: (status, { account }) => {
    if (status !== TOO_MANY_REQUESTS) return undefined;
    return account === undefined ? 'address' : 'account';
  },
  usualPauseMs: USUAL_PAUSE_MS,
};
