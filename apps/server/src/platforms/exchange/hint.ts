import { z } from 'zod';

/** Characters of a hint that are kept. */
const MAX_CHARACTERS = 100;

/**
 * A text of a row that only helps people, as who paid or another number of the same payment. Platforms change such fields
 * without a word: whatever stands there, it must not keep a payment out of the statement. Empty where there is none.
 */
export const hintSchema = z
  .union([z.string(), z.int().transform(String)])
  .catch('')
  .transform((text) => text.slice(0, MAX_CHARACTERS));
