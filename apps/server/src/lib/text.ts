/** Rules for text that strangers send. */

/** What PostgreSQL keeps as it is: no NUL, and no half of a surrogate pair, which it would turn into U+FFFD. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

const UNPRINTABLE = /\p{C}+/gu;

/** Bytes of a stranger as text that a log or a terminal can show. A character that is cut at the end is left out. */
export function printableText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replace(UNPRINTABLE, ' ');
}

/** Characters as people and databases count them, not UTF-16 units. */
export function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= characters * 2 && Array.from(text).length <= characters);
}

const WEB_URL = /^https?:\/\/[^/?#\\]/i;
// The URL parser drops tabs and line breaks and trims spaces, so what is stored would not be what was checked.
const UNSAFE_IN_URL = /[\s\p{Cc}\\]/u;

/** An absolute http or https address; nothing that a browser would run. */
export function isWebUrl(text: string): boolean {
  return WEB_URL.test(text) && !UNSAFE_IN_URL.test(text) && URL.canParse(text);
}
