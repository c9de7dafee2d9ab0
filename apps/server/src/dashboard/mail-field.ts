import { z } from 'zod';
import type { MailAddress } from '../mail/mail-address.ts';
import { parseMailAddress } from '../mail/mail-address.ts';

const MAX_MAIL = 254;

/** One plain email address. */
export const mailField = z
  .string()
  .max(MAX_MAIL)
  .transform((text, check): MailAddress => {
    const address = parseMailAddress(text.trim());
    if (address) return address;
    check.addIssue({ code: 'custom', message: 'must be one mail address' });
    return z.NEVER;
  });
