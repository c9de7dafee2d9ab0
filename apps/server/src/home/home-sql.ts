import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { SPANS } from '../days/histogram.ts';
import { INVOICE_OF_MONEY } from '../invoices/money-sql.ts';
import { TAKES_FEES } from '../merchants/plan-sql.ts';
import type { ExchangeAccountHealth } from '../wallets/exchange-account.ts';
import type { Sums } from './figures.ts';

/** A merchant's first page, limited to the reader's visible stores. */

/** Age group: 0 for today, 1 for the six days before, 2 for earlier ones. */
type AgedSums = Sums & { age: number };

const sumsOf = (column: string) =>
  sql.raw(
    `array[${Array.from({ length: SPANS }, (_none, place) => `coalesce(sum(${column}[${place + 1}]), 0)::integer`).join(', ')}]`,
  );

/** Sums of thirty days including today. */
export async function sumDays(queries: Queries, storeIds: readonly bigint[], today: string): Promise<AgedSums[]> {
  const { rows } = await sql<AgedSums>`
    select case when day = ${today}::date then 0 when day > ${today}::date - 7 then 1 else 2 end as age,
      sum(created)::integer as created, sum(completed)::integer as completed, sum(expired)::integer as expired, sum(cancelled)::integer as cancelled,
      sum(late)::integer as late, sum(volume_usd)::text as "volumeUsd", sum(fee_micro_usd)::bigint as "feeMicroUsd",
      ${sumsOf('detect_counts')} as "detectCounts", ${sumsOf('final_counts')} as "finalCounts"
    from store_days where store_id = any(${storeIds}::bigint[]) and day > ${today}::date - 30 and day <= ${today}::date
    group by 1`.execute(queries);
  return rows;
}

type StoreMoney = {
  storeId: bigint;
  availableMicroUsd: bigint;
  thresholdMicroUsd: bigint | null;
  feesMicroUsd: bigint;
  /** Whether the store pays fees. */
  takesFees: boolean;
  /** Whether the store had sales since the day, and pays fees. */
  sells: boolean;
};

/** Balances of stores, with fees since a day. */
export async function listMoney(queries: Queries, storeIds: readonly bigint[], since: string): Promise<StoreMoney[]> {
  const { rows } = await sql<StoreMoney>`
    select b.store_id as "storeId", b.available_micro_usd as "availableMicroUsd", s.low_balance_micro_usd as "thresholdMicroUsd",
      (select coalesce(sum(d.fee_micro_usd), 0)::bigint from store_days d
        where d.store_id = b.store_id and d.day >= ${since}::date) as "feesMicroUsd",
      ${TAKES_FEES} as "takesFees", ${TAKES_FEES} and exists (select from store_days d
        where d.store_id = b.store_id and d.day >= ${since}::date and d.completed > 0) as sells
    from balances b join stores s on s.id = b.store_id
    where b.store_id = any(${storeIds}::bigint[]) order by b.store_id`.execute(queries);
  return rows;
}

export type Steps = { method: boolean; funded: boolean; testPayment: boolean; webhook: boolean; livePayment: boolean };

/** Steps that a new merchant has done; each checks for one row. */
export async function readSteps(
  queries: Queries,
  { live, test }: { live: readonly bigint[]; test: readonly bigint[] },
): Promise<Steps> {
  const { rows } = await sql<Steps>`
    select
      exists (select from wallets where store_id = any(${live}::bigint[]) and removed_at is null) as method,
      exists (select from balances b join stores s on s.id = b.store_id
        where b.store_id = any(${live}::bigint[]) and (b.available_micro_usd > 0 or not ${TAKES_FEES})) as funded,
      exists (select from store_days where store_id = any(${test}::bigint[]) and completed > 0) as "testPayment",
      exists (select from endpoints where store_id = any(${[...live, ...test]}::bigint[]) and answered_at is not null) as webhook,
      exists (select from store_days where store_id = any(${live}::bigint[]) and completed > 0) as "livePayment"`.execute(
    queries,
  );
  const [steps] = rows;
  if (!steps) throw new Error('A statement without a table answered nothing.');
  return steps;
}

export type FailingReceiver = { storeId: bigint; host: string; since: Date };

export async function listFailingReceivers(
  queries: Queries,
  storeIds: readonly bigint[],
  { lookedAt, limit }: { lookedAt: number; limit: number },
): Promise<FailingReceiver[]> {
  const { rows } = await sql<FailingReceiver>`
    select store_id as "storeId", host, min(failing_since) as since
    from (select store_id, host, failing_since from endpoints
      where store_id = any(${storeIds}::bigint[]) and failures > 0 and failing_since is not null limit ${lookedAt}) p
    group by store_id, host order by 3, 1, 2 limit ${limit}`.execute(queries);
  return rows;
}

/** Newest arrivals read per address: a merchant who dismissed that many is not asked again. */
const NEWEST_ARRIVALS = 20;

export async function hasUnmatchedMoney(
  queries: Queries,
  merchantAccountId: bigint,
  storeIds: readonly bigint[],
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (select distinct network, address from wallets
          where merchant_account_id = ${merchantAccountId} and store_id = any(${storeIds}::bigint[])
            and not starts_with(network, ${SANDBOX_PREFIX})) w
        cross join lateral (select t.id, t.invoice_id, t.quote_id from transfers t
          where t.network = w.network and t.to_address = w.address and t.reason is not null and t.canonical
          order by t.id desc limit ${NEWEST_ARRIVALS}) t
        ${INVOICE_OF_MONEY}
      where (i.id is null or i.store_id = any(${storeIds}::bigint[])) and not exists (select from dismissed_transfers d
        where d.merchant_account_id = ${merchantAccountId} and d.transfer_id = t.id)) as found`.execute(queries);
  return rows[0]?.found === true;
}

export type WaitingMethod = { storeId: bigint; network: string; effectiveAt: Date };

export async function listWaitingMethods(
  queries: Queries,
  storeIds: readonly bigint[],
  limit: number,
): Promise<WaitingMethod[]> {
  const { rows } = await sql<WaitingMethod>`
    select store_id as "storeId", network, effective_at as "effectiveAt" from method_changes
    where store_id = any(${storeIds}::bigint[]) and state = 'pending' order by effective_at, id limit ${limit}`.execute(
    queries,
  );
  return rows;
}

type AccountHealth = ExchangeAccountHealth & { network: string; account: string };

/** Exchange accounts of these stores, with their health. */
export async function listAccountHealth(
  queries: Queries,
  storeIds: readonly bigint[],
  limit: number,
): Promise<AccountHealth[]> {
  const { rows } = await sql<AccountHealth>`
    select distinct x.network, x.account, x.fault, x.stopped_at is not null as stopped, x.checked_at as "checkedAt",
      x.key_expires_at as "keyExpiresAt"
    from wallets w join exchange_accounts x on x.network = w.network and x.account = w.address
    where w.store_id = any(${storeIds}::bigint[]) and w.removed_at is null and x.removed_at is null
    order by 1, 2 limit ${limit}`.execute(queries);
  return rows;
}

export type EndingApiKey = { storeId: bigint; hint: string; endsAt: Date };

/** Active API keys that end soon. */
export async function listEndingKeys(
  queries: Queries,
  storeIds: readonly bigint[],
  { now, before, limit }: { now: Date; before: Date; limit: number },
): Promise<EndingApiKey[]> {
  const { rows } = await sql<EndingApiKey>`
    select store_id as "storeId", hint, expires_at as "endsAt" from api_keys
    where store_id = any(${storeIds}::bigint[]) and expires_at > ${now} and expires_at <= ${before}
    order by expires_at, id limit ${limit}`.execute(queries);
  return rows;
}
