import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type AttemptBudget = { most: number; windowMinutes: number };

export async function reserveAttempt(
  queries: Queries | Tx,
  subject: string,
  { most, windowMinutes }: AttemptBudget,
): Promise<boolean> {
  const isOver = sql`b.started_at <= statement_timestamp() - make_interval(mins => ${windowMinutes}::integer)`;
  const { rows } = await sql`
    insert into attempt_budgets as b (subject, started_at, used) values (${subject}, statement_timestamp(), 1)
    on conflict (subject) do update set
      started_at = case when ${isOver} then statement_timestamp() else b.started_at end,
      used = case when ${isOver} then 1 else b.used + 1 end
    where ${isOver} or b.used < ${most}::integer
    returning 1`.execute(queries);
  return rows.length > 0;
}

export async function giveBackAttempts(queries: Queries, subjects: readonly string[]): Promise<void> {
  await sql`
    update attempt_budgets set used = greatest(used - 1, 0) where subject = any(array(
      select subject from attempt_budgets where subject = any(${subjects}::text[]) order by subject for update))`.execute(
    queries,
  );
}

export async function deleteOldBudgets(queries: Queries, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from attempt_budgets where subject = any(array(
      select subject from attempt_budgets where started_at < statement_timestamp() - interval '1 day'
      order by started_at limit ${limit}))
    returning 1`.execute(queries);
  return rows.length;
}
