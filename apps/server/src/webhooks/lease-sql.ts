import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Leases last half a minute; one this far in the future was given before the database's clock was set back. */
const IMPOSSIBLE_MINUTES = 5;

/** Frees deliveries due before `dueBefore` whose lease ends impossibly far in the future. */
export async function freeImpossibleLeases(tx: Tx, dueBefore: Date, scanned: number): Promise<number> {
  const { rows } = await sql`
    with overdue as (
      select id, leased_until from deliveries where state = 'pending' and next_attempt_at < ${dueBefore}
      order by next_attempt_at limit ${scanned}
    ), stuck as (
      select d.id from overdue o join deliveries d on d.id = o.id
      where o.leased_until > now() + make_interval(mins => ${IMPOSSIBLE_MINUTES}::integer) order by d.id for update of d skip locked
    )
    update deliveries d set leased_until = now() from stuck s where d.id = s.id returning d.id`.execute(tx);
  return rows.length;
}
