import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

export async function saveMailSetup(queries: Queries, at: Date): Promise<void> {
  await sql`
    insert into mail_setup as m (confirmed_at) values (${at})
    on conflict (one) do update set confirmed_at = greatest(m.confirmed_at, excluded.confirmed_at)`.execute(queries);
}

export async function wasMailSetUpSince(queries: Queries, since: Date): Promise<boolean> {
  const { rows } = await sql`select from mail_setup where one and confirmed_at > ${since}`.execute(queries);
  return rows.length > 0;
}
