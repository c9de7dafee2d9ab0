/** A generated mutation that changes nothing that anybody could observe, and why. */
type Equivalent = {
  file: string;
  /** The changed lines after the change, as the run prints them. */
  mutated: string;
  reason: string;
};

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/chains/read-end-sql.ts',
    mutated: 'delete from chain_reads where network = ${network} and height <= (',
    reason:
      'An end at the lowest coverage is never read: aged ends and the ends of runs are looked for above the coverage of a tier, no tier is covered less, a new tier starts at the lowest coverage, and a rewind below it cuts the ends above itself.',
  },
  {
    file: 'src/invoices/invoice-list-sql.ts',
    mutated: 'where h.low < h.high',
    reason:
      'Each step leaves at most half of the ids between `low` and `high`, of which there are less than 2^63, so they meet within the 64 steps that the removed condition allows.',
  },
  {
    file: 'src/invoices/invoice-list.ts',
    mutated: '.toSorted((one, other) => (one <= other ? 1 : -1));',
    reason:
      'The sorted ids are never equal: an invoice is of one store, and each look at a store ends where the one before began.',
  },
  {
    file: 'src/invoices/pending-sql.ts',
    mutated: 'export async function rememberPending(tx: Tx, ids: readonly bigint[]): Promise<void> { ; await sql`',
    reason: 'Without ids the statement inserts nothing: the early return only saves the statement.',
  },
];
