/** Finds rows by their time where only ids are indexed: both follow each other. */

/** How far clocks of processes may differ, generously: ids follow times up to this. */
export const SLACK_MS = 600_000;

type Place = { id: bigint; at: Date };

/**
 * The id from which on rows are of `atMs` or later, by halving the range of ids. `findFrom` finds the first row from an
 * id on. Rows around the moment that were written at once may be on either side: callers allow for `SLACK_MS`.
 */
export async function findIdAt(
  newestId: bigint | undefined,
  findFrom: (id: bigint) => Promise<Place | undefined>,
  atMs: number,
): Promise<bigint> {
  if (newestId === undefined) return 0n;
  let from = 0n;
  let to = newestId + 1n;
  while (from < to) {
    const middle = (from + to) / 2n;
    const found = await findFrom(middle);
    if (found && found.at.getTime() < atMs) from = found.id + 1n;
    else to = middle;
  }
  return from;
}
