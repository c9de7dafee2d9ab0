import { findUrlFault } from '../lib/text.ts';
import { parseMailAddress } from '../mail/mail-address.ts';

/** The support contact for payers. */

export const MAX_SUPPORT_URL = 500;

/** An https URL without user name or password. */
export function isSupportUrl(text: string): boolean {
  if (text.length > MAX_SUPPORT_URL || !text.startsWith('https://') || findUrlFault(text) !== undefined) return false;
  return new URL(text).hostname.includes('.');
}

/** One plain email address. */
export const isSupportMail = (text: string): boolean => parseMailAddress(text) !== undefined;
