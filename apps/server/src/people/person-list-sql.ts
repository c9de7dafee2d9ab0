import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { HAS_FACTOR } from './factor-sql.ts';
import type { OperatorRole } from './person.ts';

/** Users in lists for operators, newest first. */

type ListedPerson = {
  person: string;
  name: string;
  mail: string;
  operatorRole: OperatorRole | null;
  isVerified: boolean;
  isDisabled: boolean;
  hasFactor: boolean;
  merchants: bigint;
  createdAt: Date;
};

/** Largest possible row id. */
const LAST_ID = 2n ** 63n - 1n;

/** Users with their number of merchants; `text` is part of the name or email address, in any case. */
export async function listPeople(
  queries: Queries,
  text: string | undefined,
  { before = LAST_ID, limit }: { before: bigint | undefined; limit: number },
): Promise<ListedPerson[]> {
  const hasText =
    text === undefined
      ? sql`true`
      : sql`(position(lower(${text}::text) in lower(p.name)) > 0 or position(lower(${text}::text) in lower(p.mail_shown)) > 0)`;
  const { rows } = await sql<ListedPerson>`
    select p.code as person, p.name, p.mail_shown as mail, p.operator_role as "operatorRole",
      p.verified_at is not null as "isVerified", p.disabled_at is not null as "isDisabled",
      ${HAS_FACTOR} as "hasFactor",
      (select count(*) from memberships m where m.person_id = p.id) as merchants, p.created_at as "createdAt"
    from people p where p.id < ${before} and ${hasText} order by p.id desc limit ${limit}`.execute(queries);
  return rows;
}
