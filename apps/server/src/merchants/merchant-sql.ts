import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { isWaiting } from './own-merchant.ts';
import type { MethodDelay } from './method-delay.ts';

export async function insertMerchant(tx: Tx, merchant: { name: string; shard: string }, at: Date): Promise<bigint> {
  const row = await tx
    .insertInto('merchants')
    .values({ ...merchant, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function findMerchant(queries: Queries, id: bigint): Promise<{ shard: string } | undefined> {
  return queries.selectFrom('merchants').select('shard').where('id', '=', id).executeTakeFirst();
}

export async function setMerchantActive(tx: Tx, merchantAccountId: bigint, active: boolean): Promise<boolean> {
  const result = await tx
    .updateTable('merchants')
    .set({ active })
    .where('id', '=', merchantAccountId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

const DELAY = sql`change_delay_hours as "delayHours", shorter_delay_hours as "shorterHours", shorter_delay_at as "shorterAt"`;

/** Facts that decide about changes of a merchant's payment methods. */
type HeldMethods = MethodDelay & {
  active: boolean;
  lockedAt: Date | null;
};

/** Whether a merchant may have test stores only, as its row says when it is held. */
export async function isMerchantWaiting(tx: Tx, merchantAccountId: bigint): Promise<boolean> {
  const { rows } = await sql<{ openedBy: bigint | null; approvedAt: Date | null }>`
    select opened_by as "openedBy", approved_at as "approvedAt" from merchants where id = ${merchantAccountId}`.execute(
    tx,
  );
  const [merchant] = rows;
  return merchant !== undefined && isWaiting(merchant);
}

/**
 * Holds a merchant's payment methods until the transaction ends, for adding, removing, locking and unlocking. Taken
 * before every other row. Undefined for an unknown merchant.
 */
export async function holdMethods(tx: Tx, merchantAccountId: bigint): Promise<HeldMethods | undefined> {
  const { rows } = await sql<HeldMethods>`
    select active, methods_locked_at as "lockedAt", ${DELAY}
    from merchants where id = ${merchantAccountId} for no key update`.execute(tx);
  return rows[0];
}

/**
 * Holds a merchant's row, so that its members' requests are counted one by one. The same row as for payment methods:
 * taken before every other, and never when settling.
 */
export async function holdMerchant(tx: Tx, merchantAccountId: bigint): Promise<void> {
  await sql`select from merchants where id = ${merchantAccountId} for no key update`.execute(tx);
}

/** The same, with whether the merchant requires two-factor. */
export async function holdTwoFactorRequired(tx: Tx, merchantAccountId: bigint): Promise<boolean> {
  const { rows } = await sql<{ required: boolean }>`
    select two_factor_required as required from merchants where id = ${merchantAccountId} for no key update`.execute(
    tx,
  );
  return rows[0]?.required ?? false;
}

export async function saveTwoFactorRequired(tx: Tx, merchantAccountId: bigint, required: boolean): Promise<void> {
  await sql`update merchants set two_factor_required = ${required} where id = ${merchantAccountId}`.execute(tx);
}

type TwoFactorPolicy = { name: string; required: boolean };

export async function readTwoFactorPolicy(
  queries: Queries,
  merchantAccountId: bigint,
): Promise<TwoFactorPolicy | undefined> {
  const { rows } = await sql<TwoFactorPolicy>`
    select name, two_factor_required as required from merchants where id = ${merchantAccountId}`.execute(queries);
  return rows[0];
}

export async function saveMethodDelay(tx: Tx, merchantAccountId: bigint, delay: MethodDelay): Promise<void> {
  const { delayHours, shorterHours, shorterAt } = delay;
  await sql`
    update merchants set change_delay_hours = ${delayHours}, shorter_delay_hours = ${shorterHours}, shorter_delay_at = ${shorterAt}
    where id = ${merchantAccountId}`.execute(tx);
}

/** `lock` is null to unlock. */
export async function saveMethodsLock(
  tx: Tx,
  merchantAccountId: bigint,
  lock: { at: Date; by: string } | null,
): Promise<void> {
  await sql`
    update merchants set methods_locked_at = ${lock?.at ?? null}, methods_locked_by = ${lock?.by ?? null}
    where id = ${merchantAccountId}`.execute(tx);
}

type ShownLock = MethodDelay & { lockedAt: Date | null; lockedBy: string | null };

export async function readMethodsLock(queries: Queries, merchantAccountId: bigint): Promise<ShownLock | undefined> {
  const { rows } = await sql<ShownLock>`
    select methods_locked_at as "lockedAt", methods_locked_by as "lockedBy", ${DELAY}
    from merchants where id = ${merchantAccountId}`.execute(queries);
  return rows[0];
}

export async function readMerchantName(queries: Queries, merchantAccountId: bigint): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from merchants where id = ${merchantAccountId}`.execute(
    queries,
  );
  return rows[0]?.name;
}
