/**
 * Aligns stored transfers with those just read. A transfer is numbered among the transfers of its token in its
 * transaction, so an answer that lacks one transfer gives later ones too low a number. Transfers are therefore paired
 * by content first: a transfer that is read under another number keeps its row, its id and what it paid.
 */

type Numbered = { txId: string; index: string; to: string; units: bigint };
export type KnownTransfer = Numbered & { id: bigint; blockHash: string; canonical: boolean };

export type Renumbering = { id: bigint; index: string };

const NUMBERED = /^(.+):(\d+)$/;

const groupOf = ({ txId, index }: Numbered) => `${txId} ${NUMBERED.exec(index)?.[1] ?? index}`;
const numberOf = ({ index }: Numbered) => Number(NUMBERED.exec(index)?.[2]);
const contentOf = ({ to, units }: Numbered) => `${to} ${units}`;
const isNumbered = ({ index }: Numbered) => NUMBERED.test(index);
const byNumber = (left: Numbered, right: Numbered) => numberOf(left) - numberOf(right);

type Read = Numbered & { blockHash: string };
type Group = { known: readonly KnownTransfer[]; read: readonly Read[] };
type Pair = { known: KnownTransfer; read: Read };

/** Pairs transfers of equal content: by their numbers if all can be paired that way, else by their order. */
function pairAlike({ known, read }: Group): Pair[] {
  const stored = new Map(known.map((one) => [one.index, one]));
  const stay = read.flatMap((one): Pair[] => {
    const same = stored.get(one.index);
    return same ? [{ known: same, read: one }] : [];
  });
  if (stay.length === Math.min(known.length, read.length)) return stay;
  const inOrder = read.toSorted(byNumber);
  return known.toSorted(byNumber).flatMap((one, position): Pair[] => {
    const twin = inOrder[position];
    return twin ? [{ known: one, read: twin }] : [];
  });
}

function alignGroup({ known, read }: Group): Renumbering[] {
  const alike = Map.groupBy(known, contentOf);
  const pairs = [...Map.groupBy(read, contentOf)].flatMap(([content, same]) =>
    pairAlike({ known: alike.get(content) ?? [], read: same }),
  );
  const paired = new Set(pairs.map((pair) => pair.known.id));
  const moved = pairs.filter((pair) => pair.known.index !== pair.read.index);
  const renumbered = moved.map((pair) => ({ id: pair.known.id, index: pair.read.index }));
  const taken = new Set(renumbered.map(({ index }) => index));
  const token = NUMBERED.exec(read[0]?.index ?? '')?.[1];
  let free = Math.max(-1, ...[...known, ...read].map(numberOf)) + 1;
  for (const one of known.filter(({ id }) => !paired.has(id))) {
    const rival = read.find(({ index }) => index === one.index);
    // A stored transfer that was not read again keeps its number if it has left its block: its row then becomes the
    // transfer now read under that number. A stored transfer that is still in its block gets a new number, so that its
    // row is not overwritten.
    const stands = one.canonical && rival?.blockHash === one.blockHash;
    if (!taken.has(one.index) && !stands) continue;
    renumbered.push({ id: one.id, index: `${token}:${free}` });
    free += 1;
  }
  return renumbered;
}

/** New numbers for stored transfers, so that recording a read overwrites no transfer that is still in the chain. */
export function alignTransfers(known: readonly KnownTransfer[], read: readonly Read[]): Renumbering[] {
  if (known.length === 0) return [];
  const groups = Map.groupBy(known.filter(isNumbered), groupOf);
  return [...Map.groupBy(read.filter(isNumbered), groupOf)].flatMap(([group, same]) =>
    alignGroup({ known: groups.get(group) ?? [], read: same }),
  );
}
