import type { ZodMiniType } from 'zod/mini';
import * as z from 'zod/mini';
import type { WordKey } from '../language/words.ts';

/** Field checks before sending. The server checks again; these save a round trip. */

const MIN_PASSWORD = 12;
const MAX_PASSWORD = 128;
const MAX_NAME = 100;
const MAX_STORE_NAME = 255;
const MAX_MAIL = 254;

const say = (key: WordKey): string => key;

export const mailField = z
  .string()
  .check(z.trim(), z.minLength(1, say('fault.mail')), z.maxLength(MAX_MAIL), z.regex(/^\S+@\S+$/, say('fault.mail')));
export const newPasswordField = z
  .string()
  .check(z.minLength(MIN_PASSWORD, say('fault.password.too-short')), z.maxLength(MAX_PASSWORD));
export const passwordField = z.string().check(z.minLength(1, say('fault.needed')));
export const nameField = z.string().check(z.trim(), z.minLength(1, say('fault.needed')), z.maxLength(MAX_NAME));
export const storeNameField = z
  .string()
  .check(z.trim(), z.minLength(1, say('fault.needed')), z.maxLength(MAX_STORE_NAME, say('fault.long')));
export const textField = z.string().check(z.trim(), z.minLength(1, say('fault.needed')));
export const totpField = z.string().check(
  z.overwrite((text) => text.replaceAll(/\s/g, '')),
  z.regex(/^\d{6}$/, say('fault.code')),
);

export const formOf = <Shape extends Record<string, ZodMiniType>>(shape: Shape) => z.object(shape);
