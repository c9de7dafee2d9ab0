import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { unnestRows } from '../db/unnest-rows.ts';

/**
 * A transfer of few coins. `displayUnits` is the amount as a payer could type it; undefined if the amount has too many
 * digits.
 */
type DustCandidate = { txId: string; index: string; to: string; displayUnits: bigint | undefined };

/**
 * Finds candidates that must be kept although they are worth little, as positions in the list: the amount was quoted at
 * the candidate's address, or the transfer is already recorded. Each lookup asks for the first row at or above a key
 * and compares the row with that key, because only the primary key's index can serve such a query. For a plain equality
 * the planner might choose another index or scan the table.
 */
export async function findKeptDust(
  queries: Queries,
  network: string,
  token: string,
  candidates: readonly DustCandidate[],
): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select c.place
    from ${unnestRows(candidates, 'c', {
      tx_id: ['text', (one) => one.txId],
      index: ['text', (one) => one.index],
      address: ['text', (one) => one.to],
      display_units: ['bigint', (one) => one.displayUnits ?? null],
      place: ['integer', (_one, place) => place],
    })}
    where (select s.display_units from amount_slots s where s.network = ${network} and s.token = ${token}
        and s.address = c.address and s.display_units >= c.display_units order by s.display_units limit 1) = c.display_units
      or (select t.index from transfers t where t.network = ${network} and t.tx_id = c.tx_id
        and t.index >= c.index order by t.index limit 1) = c.index`.execute(queries);
  return new Set(rows.map(({ place }) => place));
}
