import { findUrlFault } from '../lib/text.ts';
import { parseMailAddress } from '../mail/mail-address.ts';

/** Whom payers with a problem can ask. Pure. */

export const MAX_SUPPORT_URL = 500;

/** Whether a text is an https address that a browser only opens, without a user name or password in it. */
export function isSupportUrl(text: string): boolean {
  if (text.length > MAX_SUPPORT_URL || !text.startsWith('https://') || findUrlFault(text) !== undefined) return false;
  return new URL(text).hostname.includes('.');
}

/** Whether a text is one plain mail address. */
export const isSupportMail = (text: string): boolean => parseMailAddress(text) !== undefined;
