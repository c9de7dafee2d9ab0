import { z } from 'zod';
import { firstCharacters, withoutUnprintable } from '../../lib/text.ts';

/** Longest hint. */
const MAX_CHARACTERS = 100;

/** Optional text for people, such as the payer; no value may keep a payment out of the statement. */
export const hintSchema = z
  .union([z.string(), z.int().transform(String)])
  .catch('')
  .transform((text) => firstCharacters(withoutUnprintable(text), MAX_CHARACTERS));
