import { isWebPort } from './web-port.ts';

/** Rules for text that strangers send. */

/** Whether PostgreSQL stores a text unchanged: no NUL, and no half of a surrogate pair, which would become U+FFFD. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const UNPRINTABLE = /\p{C}+/gu;

/** A stranger's text without control characters, NUL and halves of surrogate pairs, which PostgreSQL would refuse. */
export const withoutUnprintable = (text: string): string => text.replace(UNPRINTABLE, ' ');

/** Decodes a stranger's bytes for a log or a terminal. A character that was cut off at the end is left out. */
export function printableText(bytes: Uint8Array): string {
  return withoutUnprintable(new TextDecoder().decode(bytes, { stream: true }));
}

/** Whether a text has at most so many characters, counted as people and databases count them, not in UTF-16 units. */
export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= characters * 2 && Array.from(text).length <= characters);
}

/** The first characters of a text, counted as people and databases count them. */
export const firstCharacters = (text: string, characters: number): string =>
  Array.from(text).slice(0, characters).join('');

const WEB_URL = /^https?:\/\/[^/?#\\]/i;
// Characters that are refused in URLs: the URL parser drops or replaces them, so that the stored URL would not be the
// one that was checked.
const UNSAFE_IN_URL = /[\s\p{Cc}\\]/u;

const USER_IN_URL = /^https?:\/\/[^/?#]*@/i;

/** Whether a text is an absolute http or https URL, and nothing that a browser would run. */
export function isWebUrl(text: string): boolean {
  return WEB_URL.test(text) && !UNSAFE_IN_URL.test(text) && URL.parse(text) !== null;
}

/**
 * Why a URL that a merchant gives is refused, by one rule for all fields: it is no web URL or has a user name, with which
 * `https://bank.example@evil.example` looks like another host; or it has a port of another service than the web.
 */
export function findUrlFault(text: string): 'form' | 'port' | undefined {
  const url = isWebUrl(text) ? URL.parse(text) : null;
  if (!url || USER_IN_URL.test(text)) return 'form';
  return isWebPort(url) ? undefined : 'port';
}
