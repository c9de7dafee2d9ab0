import { z } from 'zod';
import { hashLinkToken } from '../people/person.ts';

const MAX_TOKEN = 100;

/** The token of a link. The app reads it from the fragment of its address and sends it in a body, never in an address. */
export const linkToken = z.string().max(MAX_TOKEN);
export const linkBody = z.strictObject({ token: linkToken });

/** The hash of the link that a request follows, if it does. */
export function linkHashOf(input: unknown): Buffer | undefined {
  if (typeof input !== 'object' || input === null || !('token' in input)) return undefined;
  return typeof input.token === 'string' ? hashLinkToken(input.token) : undefined;
}
