import { z } from 'zod';

/**
 * What a state folder records about the database, outside of it: how far the folder's workers have counted there. A
 * database with a lower count has lost what was committed since.
 */
export type Mark = {
  /** Id of the state folder. */
  folder: string;
  sequence: bigint;
};

const FORMAT = 1;
const MARK = z.object({
  format: z.literal(FORMAT),
  folder: z.uuid(),
  sequence: z.string().regex(/^[1-9]\d{0,17}$/),
});

export const formatMark = ({ folder, sequence }: Mark): string =>
  `${JSON.stringify({ format: FORMAT, folder, sequence: String(sequence) })}\n`;

/** Throws when the text is no mark: an unreadable mark must not count as a missing one. */
export function parseMark(text: string): Mark {
  const { folder, sequence } = MARK.parse(JSON.parse(text));
  return { folder, sequence: BigInt(sequence) };
}
