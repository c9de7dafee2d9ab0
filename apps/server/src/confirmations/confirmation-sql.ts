import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { ConfirmationFacts } from './judge-mark.ts';
import type { Mark } from './mark.ts';

/** SQL of the confirmation that quotes need. */

const VALID_SECONDS = 60;
/** A confirmation is written again when it has less time left: readers of its row see few versions of it. */
const RENEWED_BELOW_SECONDS = 50;
/** How much later other folders may have been marked without this mark missing something. */
const STALE_SECONDS = 60;

/** Whether confirmation `c` was written on this run of the server, in this table. */
const IS_HERE = 'c.server_started_at = pg_postmaster_start_time() and c.table_oid = c.tableoid::bigint';
const IS_VALID = `coalesce(${IS_HERE} and c.valid_until > statement_timestamp(), false)`;

/** Whether a worker confirms the database. */
export const IS_CONFIRMED = `exists (select from database_confirmation c where ${IS_VALID})`;

/** Which amounts may be quoted: `usual` or `reserved` ones, or null for none. */
export const QUOTED_SHARE = `(
  select case when c.reserved_until > statement_timestamp() then 'reserved' else 'usual' end from database_confirmation c
  where ${IS_VALID} and c.stopped_until <= statement_timestamp())`;

/** Reads what decides about a mark. Until the transaction ends no other worker decides. */
export async function lockConfirmation(tx: Tx, folder: string | undefined): Promise<ConfirmationFacts> {
  const { rows } = await sql<ConfirmationFacts>`
    select ${sql.raw(IS_VALID)} as confirmed, c.went_back_at is not null as "wentBack", m.sequence as "ownSequence",
      case when c.accepted_server_started_at = pg_postmaster_start_time() and c.accepted_table_oid = c.tableoid::bigint then c.accepted_by end
        as "acceptedBy",
      exists (select from database_marks o where o.marked_at > m.marked_at + make_interval(secs => ${STALE_SECONDS})) as "isStale",
      exists (select from (select id from invoices order by id limit 1) i) as "hasInvoices"
    from database_confirmation c left join database_marks m on m.folder = ${folder ?? null}
    for update of c`.execute(tx);
  const [facts] = rows;
  if (!facts) throw new Error('The row of database_confirmation is missing.');
  return facts;
}

export async function saveMark(tx: Tx, { folder, sequence }: Mark): Promise<void> {
  await sql`
    insert into database_marks as m (folder, sequence, marked_at) values (${folder}, ${sequence}::bigint, statement_timestamp())
    on conflict (folder) do update set sequence = excluded.sequence, marked_at = excluded.marked_at`.execute(tx);
}

export async function confirmHere(tx: Tx): Promise<void> {
  await sql`
    update database_confirmation c set server_started_at = pg_postmaster_start_time(), table_oid = c.tableoid::bigint,
      valid_until = statement_timestamp() + make_interval(secs => ${VALID_SECONDS})
    where not coalesce(${sql.raw(IS_HERE)} and c.valid_until > statement_timestamp() + make_interval(secs => ${RENEWED_BELOW_SECONDS}), false)`.execute(
    tx,
  );
}

/** Stops quoting until an operator decides. */
export async function markWentBack(tx: Tx): Promise<void> {
  await sql`
    update database_confirmation set went_back_at = statement_timestamp(), valid_until = '-infinity'
    where went_back_at is null`.execute(tx);
}

export async function acceptHere(tx: Tx): Promise<void> {
  await sql`
    update database_confirmation c set accepted_server_started_at = pg_postmaster_start_time(), accepted_table_oid = c.tableoid::bigint,
      accepted_by = 'operator', went_back_at = null`.execute(tx);
}

/**
 * Lets only reserved amounts be quoted until a moment. If they were in use already, the database may have lost quotes with
 * such amounts too, and nothing is quoted until then. Returns whether anything is.
 */
export async function reserveAmounts(tx: Tx, until: Date): Promise<boolean> {
  const { rows } = await sql<{ quotes: boolean }>`
    update database_confirmation set reserved_until = ${until},
      stopped_until = case when reserved_until > statement_timestamp() then ${until} else stopped_until end
    returning stopped_until <= statement_timestamp() as quotes`.execute(tx);
  return rows[0]?.quotes === true;
}

export type ConfirmationState = { confirmed: boolean; wentBackAt: Date | null; validUntil: Date | null };

export async function readConfirmation(queries: Queries | Tx): Promise<ConfirmationState> {
  const { rows } = await sql<ConfirmationState>`
    select ${sql.raw(IS_VALID)} as confirmed, c.went_back_at as "wentBackAt",
      case when isfinite(c.valid_until) then c.valid_until end as "validUntil" from database_confirmation c`.execute(
    queries,
  );
  return rows[0] ?? { confirmed: false, wentBackAt: null, validUntil: null };
}
