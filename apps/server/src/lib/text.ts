import { isWebPort } from './web-port.ts';

/** Rules for strangers' text. */

/** Whether PostgreSQL stores a text unchanged: no NUL, and no lone surrogate, which would become U+FFFD. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const UNPRINTABLE = /\p{C}+/gu;

/** Without control characters, NUL and lone surrogates, which PostgreSQL would refuse. */
export const withoutUnprintable = (text: string): string => text.replace(UNPRINTABLE, ' ');

/** Decodes bytes for a log or terminal, dropping a truncated last character. */
export function printableText(bytes: Uint8Array): string {
  return withoutUnprintable(new TextDecoder().decode(bytes, { stream: true }));
}

/** Counts characters as people and databases do, not UTF-16 units. */
export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= characters * 2 && Array.from(text).length <= characters);
}

/** The first characters, counted as people and databases do. */
export const firstCharacters = (text: string, characters: number): string =>
  Array.from(text).slice(0, characters).join('');

const WEB_URL = /^https?:\/\/[^/?#\\]/i;
// The URL parser drops or replaces these, so that the stored URL would not be the checked one.
const UNSAFE_IN_URL = /[\s\p{Cc}\\]/u;

const USER_IN_URL = /^https?:\/\/[^/?#]*@/i;

/** An absolute http or https URL. */
export function isWebUrl(text: string): boolean {
  return WEB_URL.test(text) && !UNSAFE_IN_URL.test(text) && URL.parse(text) !== null;
}

/**
 * Why a merchant's URL is refused, for all fields: not a web URL, a user name (`https://bank.example@evil.example`
 * looks like another host), or the port of another service.
 */
export function findUrlFault(text: string): 'form' | 'port' | undefined {
  const url = isWebUrl(text) ? URL.parse(text) : null;
  if (!url || USER_IN_URL.test(text)) return 'form';
  return isWebPort(url) ? undefined : 'port';
}
