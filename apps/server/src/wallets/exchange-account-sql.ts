import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { ExchangeAccountHealth, ExchangeAccountName } from './exchange-account.ts';

export type HealthInJson = Omit<ExchangeAccountHealth, 'checkedAt' | 'keyExpiresAt'> & {
  checkedAt: string;
  keyExpiresAt: string | null;
};

export function healthOf({ checkedAt, keyExpiresAt, ...health }: HealthInJson): ExchangeAccountHealth {
  return {
    ...health,
    checkedAt: new Date(checkedAt),
    keyExpiresAt: keyExpiresAt === null ? null : new Date(keyExpiresAt),
  };
}

type NewExchangeAccount = ExchangeAccountName & {
  merchantAccountId: bigint;
  secretId: bigint;
  baseUrl: string;
  keyHint: string;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
  at: Date;
  checkedAt: Date;
  checkDueAt: Date;
};

/**
 * Replaces the key of an account in use, unless its key is newer: a pending change may carry a key that was replaced
 * since. Secret ids grow with every key.
 */
async function replaceOlderKey(tx: Tx, one: NewExchangeAccount): Promise<void> {
  await sql`
    update exchange_accounts x set secret_id = ${one.secretId}, base_url = ${one.baseUrl}, key_hint = ${one.keyHint},
      bound_to_addresses = ${one.boundToAddresses}, is_sub_account = ${one.isSubAccount}, key_expires_at = ${one.keyExpiresAt},
      checked_at = greatest(x.checked_at, ${one.checkedAt}), check_due_at = ${one.checkDueAt}, fault = null, faulty_since = null
    where x.network = ${one.network} and x.account = ${one.account}
      and (x.secret_id < ${one.secretId} or x.removed_at is not null)`.execute(tx);
}

/**
 * Stores an exchange account or a new key, effective immediately. A removed account receives again; a stopped one stays
 * stopped. Returns whether it was known.
 */
export async function saveExchangeAccount(tx: Tx, one: NewExchangeAccount): Promise<{ known: boolean }> {
  await replaceOlderKey(tx, one);
  const { rows } = await sql<{ known: boolean }>`
    insert into exchange_accounts as x (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
      is_sub_account, key_expires_at, added_at, checked_at, check_due_at)
    values (${one.network}, ${one.account}, ${one.merchantAccountId}, ${one.secretId}, ${one.baseUrl}, ${one.keyHint},
      ${one.boundToAddresses}, ${one.isSubAccount}, ${one.keyExpiresAt}, ${one.at}, ${one.checkedAt}, ${one.checkDueAt})
    on conflict (network, account) do update set removed_at = null
    returning xmax <> 0 as known`.execute(tx);
  return { known: rows[0]?.known === true };
}

/** Demands that a once removed account be followed while an amount there is open or quarantined. */
export async function demandHeld(tx: Tx, { network, account }: ExchangeAccountName, at: Date): Promise<void> {
  await sql`
    insert into account_demands (network, account, start_at, open_until)
    select ${network}, ${account}, ${at}::timestamptz, ${at}::timestamptz
    where exists (select from amount_slots where network = ${network} and address = ${account} and held_until > ${at})`.execute(
    tx,
  );
}

export type ExchangeAccountRow = ExchangeAccountName &
  ExchangeAccountHealth & {
    merchantAccountId: bigint;
    secretId: bigint;
    baseUrl: string;
    keyHint: string;
    boundToAddresses: boolean;
    isSubAccount: boolean;
    addedAt: Date;
    stopReason: string | null;
    removedAt: Date | null;
    overlapReadAt: Date | null;
    dayReadAt: Date | null;
    latestRowMs: number | null;
  };

const COLUMNS = sql`x.network, x.account, x.merchant_account_id as "merchantAccountId", x.secret_id as "secretId",
  x.base_url as "baseUrl", x.key_hint as "keyHint", x.bound_to_addresses as "boundToAddresses", x.is_sub_account as "isSubAccount",
  x.key_expires_at as "keyExpiresAt", x.added_at as "addedAt", x.checked_at as "checkedAt", x.fault,
  x.stopped_at is not null as stopped, x.stop_reason as "stopReason", x.removed_at as "removedAt",
  x.overlap_read_at as "overlapReadAt", x.day_read_at as "dayReadAt", x.latest_row_ms::float8 as "latestRowMs"`;

export async function findExchangeAccount(
  queries: Queries | Tx,
  { network, account }: ExchangeAccountName,
): Promise<ExchangeAccountRow | undefined> {
  const { rows } = await sql<ExchangeAccountRow>`
    select ${COLUMNS} from exchange_accounts x where x.network = ${network} and x.account = ${account}`.execute(
    queries,
  );
  return rows[0];
}

export async function listExchangeAccounts(queries: Queries, merchantAccountId: bigint): Promise<ExchangeAccountRow[]> {
  const { rows } = await sql<ExchangeAccountRow>`
    select ${COLUMNS} from exchange_accounts x where x.merchant_account_id = ${merchantAccountId}
    order by x.network, x.account`.execute(queries);
  return rows;
}

/** Base URLs of a platform's exchange accounts, oldest first; empty when no store uses it. */
export async function listBaseUrls(queries: Queries, network: string): Promise<string[]> {
  const { rows } = await sql<{ baseUrl: string }>`
    select base_url as "baseUrl" from exchange_accounts where network = ${network} and removed_at is null
    group by base_url order by min(added_at)`.execute(queries);
  return rows.map(({ baseUrl }) => baseUrl);
}

type StatementReads = {
  /** `overlapReadAt`: last repeated half hour. `dayReadAt`: the repeated hour, by the time its turn began. */
  overlapReadAt?: Date;
  dayReadAt?: Date;
  /** Longest delay of new rows that earlier polls should have shown, or 0. */
  latestRowMs: number;
};

/** Saves repeated reads and how late rows appeared, if any. */
export async function saveStatementReads(
  tx: Tx,
  { network, account }: ExchangeAccountName,
  { overlapReadAt, dayReadAt, latestRowMs }: StatementReads,
): Promise<void> {
  if (!overlapReadAt && !dayReadAt && latestRowMs === 0) return;
  await sql`
    update exchange_accounts set overlap_read_at = coalesce(${overlapReadAt ?? null}::timestamptz, overlap_read_at),
      day_read_at = coalesce(${dayReadAt ?? null}::timestamptz, day_read_at),
      latest_row_ms = greatest(latest_row_ms, ${latestRowMs}::bigint)
    where network = ${network} and account = ${account}`.execute(tx);
}

/** Claims due key checks; an unfinished claim is due again after `leaseSeconds`. */
export async function claimDueChecks(
  queries: Queries,
  now: Date,
  limit: number,
  leaseSeconds: number,
): Promise<ExchangeAccountName[]> {
  const { rows } = await sql<ExchangeAccountName>`
    update exchange_accounts x set check_due_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    from (select network, account from exchange_accounts where removed_at is null and check_due_at <= ${now}
      order by check_due_at limit ${limit} for update skip locked) due
    where x.network = due.network and x.account = due.account
    returning x.network, x.account`.execute(queries);
  return rows;
}

type CheckResult = {
  at: Date;
  nextAt: Date;
  fault: string | null;
  /** When the key ends; undefined keeps the earlier value. */
  keyExpiresAt?: Date | null;
};

export async function saveCheck(
  tx: Tx,
  { network, account }: ExchangeAccountName,
  secretId: bigint,
  { at, nextAt, fault, keyExpiresAt }: CheckResult,
): Promise<{ earlierFault: string | null } | undefined> {
  const { rows } = await sql<{ earlierFault: string | null }>`
    with known as (
      select fault from exchange_accounts where network = ${network} and account = ${account} and secret_id = ${secretId} for update
    )
    update exchange_accounts x set checked_at = ${at}, check_due_at = ${nextAt}, fault = ${fault},
      faulty_since = case when ${fault}::text is null then null else coalesce(x.faulty_since, ${at}::timestamptz) end,
      key_expires_at = ${keyExpiresAt === undefined ? sql`x.key_expires_at` : keyExpiresAt}
    from known where x.network = ${network} and x.account = ${account}
    returning known.fault as "earlierFault"`.execute(tx);
  return rows[0];
}

/** Marks a refused key until a check succeeds, and makes that check due; false when marked already or replaced. */
export async function markFaulty(
  tx: Tx,
  { network, account, secretId }: ExchangeAccountName & { secretId: bigint },
  fault: string,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update exchange_accounts set fault = ${fault}, faulty_since = ${at}, check_due_at = ${at}
    where network = ${network} and account = ${account} and secret_id = ${secretId} and fault is null`.execute(tx);
  return numAffectedRows === 1n;
}

/** Replaces a person's name where the engine stopped an account, because a completed invoice lost its payment. */
export const LOST_PAYMENT = 'lost payment';

/**
 * Stops an account: nothing settles or is covered. An operator's stop replaces a stop by a lost payment, which would
 * end automatically. False when stopped already, or unknown.
 */
export async function stopAccount(
  tx: Tx,
  { network, account }: ExchangeAccountName,
  at: Date,
  { reason, by }: { reason: string; by: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update exchange_accounts set stopped_at = coalesce(stopped_at, ${at}), stop_reason = ${reason}, stopped_by = ${by}
    where network = ${network} and account = ${account}
      and (stopped_at is null or (stopped_by = ${LOST_PAYMENT} and stopped_by <> ${by}))`.execute(tx);
  return numAffectedRows === 1n;
}

/** Locks an account: a stop waits for the commit of a read, and nothing settles after it. */
export async function lockExchangeAccount(tx: Tx, { network, account }: ExchangeAccountName): Promise<void> {
  await sql`
    select from exchange_accounts where network = ${network} and account = ${account} for no key update`.execute(tx);
}

/** Ends the stop of an account; false when it is not stopped. */
export async function endStop(tx: Tx, { network, account }: ExchangeAccountName): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update exchange_accounts set stopped_at = null, stop_reason = null, stopped_by = null
    where network = ${network} and account = ${account} and stopped_at is not null`.execute(tx);
  return numAffectedRows === 1n;
}

/** Marks an account as removed; false when it was before. */
export async function markAccountRemoved(
  tx: Tx,
  { network, account }: ExchangeAccountName,
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update exchange_accounts set removed_at = ${at}
    where network = ${network} and account = ${account} and removed_at is null`.execute(tx);
  return numAffectedRows === 1n;
}

export async function readPauses(queries: Queries, now: Date): Promise<{ baseUrl: string; pausedUntil: Date }[]> {
  const { rows } = await sql<{ baseUrl: string; pausedUntil: Date }>`
    select base_url as "baseUrl", paused_until as "pausedUntil" from platform_pauses where paused_until > ${now}`.execute(
    queries,
  );
  return rows;
}

/** Saves a platform's requested pause for every process; a shorter pause does not end a longer one. */
export async function savePause(queries: Queries, baseUrl: string, until: Date, reason: string): Promise<void> {
  await sql`
    insert into platform_pauses as p (base_url, paused_until, reason) values (${baseUrl}, ${until}, ${reason})
    on conflict (base_url) do update set paused_until = greatest(p.paused_until, excluded.paused_until),
      reason = excluded.reason`.execute(queries);
}
