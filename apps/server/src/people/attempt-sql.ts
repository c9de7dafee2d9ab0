import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Budgets of guesses at secrets, shared by all processes. A guess is counted before it is checked, so that many guesses
 * at once cannot pass the limit. The window runs in database time.
 */

export type AttemptBudget = { most: number; windowMinutes: number };

/** Counts a guess; false when the budget of its subject is used up. */
export async function reserveAttempt(
  queries: Queries,
  subject: string,
  { most, windowMinutes }: AttemptBudget,
): Promise<boolean> {
  const { rows } = await sql<{ used: number }>`
    insert into attempt_budgets as b (subject, started_at, used) values (${subject}, statement_timestamp(), 1)
    on conflict (subject) do update set
      started_at = case when b.started_at <= statement_timestamp() - make_interval(mins => ${windowMinutes}::integer)
        then statement_timestamp() else b.started_at end,
      used = case when b.started_at <= statement_timestamp() - make_interval(mins => ${windowMinutes}::integer)
        then 1 else least(b.used, ${most}::integer) + 1 end
    returning used`.execute(queries);
  return (rows[0]?.used ?? most + 1) <= most;
}

/** Gives a guess back that was right. */
export async function giveBackAttempt(queries: Queries, subject: string): Promise<void> {
  await sql`update attempt_budgets set used = greatest(used - 1, 0) where subject = ${subject}`.execute(queries);
}

/** Forgets budgets whose windows are long over. */
export async function deleteOldBudgets(queries: Queries, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from attempt_budgets where subject = any(array(
      select subject from attempt_budgets where started_at < statement_timestamp() - interval '1 day'
      order by started_at limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}
