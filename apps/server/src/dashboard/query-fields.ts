import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';

/** Common query fields of lists. */

const MAX_ROW_DIGITS = 18;

/** A row number, as in lists. */
export const ROW_NUMBER = new RegExp(`^\\d{1,${MAX_ROW_DIGITS}}$`);

/** The row number after which a page begins. */
export const rowCursor = z
  .string()
  .regex(ROW_NUMBER)
  .transform((text) => BigInt(text))
  .optional();

export const moment = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform((text) => new Date(Number(text) * SECOND_MS))
  .optional();
