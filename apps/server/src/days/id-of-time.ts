export const SLACK_MS = 600_000;

type Place = { id: bigint; at: Date };

/** First id of `atMs` or later, by binary search. Rows around it may be on either side: allow for `SLACK_MS`. */
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
