import { z } from 'zod';
import type { SourceErrorKind } from '../../sources/chain-source.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Dialect } from '../exchange/ask-platform.ts';

/** Refusals of Binance: https://developers.binance.com/docs/binance-spot-api-docs/errors */

const refusalSchema = z.object({ code: z.int() });

/** Codes that reading can meet. The platform's own texts are left out, because they contain our IP address. */
const REFUSALS: ReadonlyMap<number, [SourceErrorKind, string]> = new Map([
  [-1000, ['unavailable', 'an unknown error there']],
  [-1001, ['unavailable', 'an internal error there']],
  [-1006, ['unavailable', 'an internal error there']],
  [-1007, ['unavailable', 'a time-out there']],
  [-1008, ['unavailable', 'it is overloaded']],
  [-1016, ['unavailable', 'the service is shut down']],
  [-1021, ['not-yet', 'the time of the request']],
  [-1002, ['unsupported', 'the key may not do this']],
  [-1022, ['unsupported', 'the signature: the secret does not belong to the key']],
  [-2008, ['unsupported', 'the key is not known']],
  [-2014, ['unsupported', 'the key is not well-formed']],
  [-2015, ['unsupported', 'the key is not known, may not read, or may not be used from our address']],
  [-1127, ['range', 'the range of time is too wide']],
]);

const TOO_MANY_REQUESTS = 429;
/** A ban: our IP address ignored status 429. */
const BANNED = 418;
/** The platform's firewall, which counts by IP address. */
const FIREWALL = 403;

export const BINANCE_DIALECT: Dialect = {
  readRefusal: (answer) => {
    const parsed = refusalSchema.safeParse(answer);
    if (!parsed.success) return undefined;
    const { code } = parsed.data;
    const [kind, meaning] = REFUSALS.get(code) ?? ['inconsistent', 'a refusal that reading should not meet'];
    return new SourceError(kind, `Binance refused the request (${code}): ${meaning}.`);
  },
  // The quota of an exchange account is shared with its owner's other programs, so a refusal there must not pause other
  // accounts.
  pauseScopeOf: (status, { account }) => {
    if (status === BANNED || status === FIREWALL) return 'address';
    if (status !== TOO_MANY_REQUESTS) return undefined;
    return account === undefined ? 'address' : 'account';
  },
  // For refusals without Retry-After (418 and 429 have it): the shortest ban of Binance.
  usualPauseMs: 120_000,
};
