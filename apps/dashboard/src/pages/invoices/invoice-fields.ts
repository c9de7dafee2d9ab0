import * as z from 'zod/mini';
import type { WordKey } from '../../language/words.ts';

/** Field checks of an invoice form. */

const MAX_TEXT = 255;
const MAX_LONG_TEXT = 1_000;

const say = (key: WordKey): string => key;

export const amountField = z.string().check(
  z.trim(),
  z.overwrite((text) => text.replace(',', '.')),
  z.regex(/^(?=.*[1-9])\d{1,12}(?:\.\d{1,8})?$/, say('fault.amount')),
);
export const optionalTextField = z.string().check(z.trim(), z.maxLength(MAX_TEXT, say('fault.long')));
export const longTextField = z.string().check(z.trim(), z.maxLength(MAX_LONG_TEXT, say('fault.long')));
export const urlField = z.string().check(z.trim(), z.regex(/^(?:https?:\/\/\S+)?$/, say('fault.url')));
