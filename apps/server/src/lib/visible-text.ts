/**
 * Text that strangers wrote, as a terminal may print it: characters that a terminal acts on, or that hide or turn the
 * text around them, become escapes like those of JSON. Pure.
 */

/** Control and format characters. The two joiners that some scripts and emoji are written with are kept. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const HEX_DIGITS = 4;

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(HEX_DIGITS, '0')}`;
const escapeUnseen = (character: string) => character.split('').map(escapeUnit).join('');

/** A text on one line. The escapes keep a text of JSON what it was, because it has such characters only inside strings. */
export const visibleText = (text: string): string => text.replaceAll(UNSEEN, escapeUnseen);

/** A text of our own lines, in which only line breaks are kept. */
export const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n');
