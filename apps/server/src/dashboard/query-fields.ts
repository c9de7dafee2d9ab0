import { z } from 'zod';

/** Fields that the queries of several lists have in common. */

const MAX_ROW_DIGITS = 18;

/** The number of a row, as lists give it. */
export const ROW_NUMBER = new RegExp(`^\\d{1,${MAX_ROW_DIGITS}}$`);

/** The number of a row after which a page begins. */
export const rowCursor = z
  .string()
  .regex(ROW_NUMBER)
  .transform((text) => BigInt(text))
  .optional();

const MS_PER_SECOND = 1_000;

/** A moment in Unix time, in whole seconds. */
export const moment = z
  .string()
  .regex(/^\d{1,11}$/)
  .transform((text) => new Date(Number(text) * MS_PER_SECOND))
  .optional();
