import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

export type FailedExport = { code: string; fault: string | null; tries: number; createdAt: Date; doneAt: Date };

export async function listFailedExports(queries: Queries, since: Date, limit: number): Promise<FailedExport[]> {
  const { rows } = await sql<FailedExport>`
    select code, fault, tries, created_at as "createdAt", done_at as "doneAt" from exports
    where state = 'failed' and done_at >= ${since} order by done_at desc, id desc limit ${limit}`.execute(queries);
  return rows;
}
