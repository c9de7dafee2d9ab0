import { z } from 'zod';
import { firstCharacters, withoutUnprintable } from '../../lib/text.ts';

/** How many characters of a hint are kept. */
const MAX_CHARACTERS = 100;

/**
 * A text in a row that only helps people, such as who paid or another number of the payment. Platforms change such
 * fields without notice, so no value of the field may keep a payment out of the statement. Empty where there is no
 * text.
 */
export const hintSchema = z
  .union([z.string(), z.int().transform(String)])
  .catch('')
  .transform((text) => firstCharacters(withoutUnprintable(text), MAX_CHARACTERS));
