import { z } from 'zod';
import { hashLinkToken } from '../people/person.ts';

const MAX_TOKEN = 100;

/** A link's token. The app reads it from the URL's fragment and sends it in a body, never in a URL. */
export const linkToken = z.string().max(MAX_TOKEN);
export const linkBody = z.strictObject({ token: linkToken });

/** The hash of the link that a request follows, if any. */
export function linkHashOf(input: unknown): Buffer | undefined {
  if (typeof input !== 'object' || input === null || !('token' in input)) return undefined;
  return typeof input.token === 'string' ? hashLinkToken(input.token) : undefined;
}
