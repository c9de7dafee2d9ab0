import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Merchants and stores in lists for operators, newest first. */

type Page = {
  /** The page begins below this id. */
  before: bigint | undefined;
  limit: number;
};

/** Largest possible row id. */
const LAST_ID = 2n ** 63n - 1n;

type ListedMerchant = {
  id: bigint;
  code: string;
  name: string;
  active: boolean;
  isWaiting: boolean;
  stores: bigint;
  createdAt: Date;
};

/** Merchants with their number of stores; `name` is part of the name, in any case. */
export async function listMerchants(
  queries: Queries,
  { name, waiting }: { name?: string | undefined; waiting?: boolean | undefined },
  { before = LAST_ID, limit }: Page,
): Promise<ListedMerchant[]> {
  const hasName = name === undefined ? sql`true` : sql`position(lower(${name}::text) in lower(m.name)) > 0`;
  const isWaiting = sql`(m.opened_by is not null and m.approved_at is null)`;
  const hasState = waiting === undefined ? sql`true` : sql`${isWaiting} = ${waiting}::boolean`;
  const { rows } = await sql<ListedMerchant>`
    select m.id, m.code, m.name, m.active, ${isWaiting} as "isWaiting", m.created_at as "createdAt",
      (select count(*) from stores s where s.merchant_account_id = m.id) as stores
    from merchants m where m.id < ${before} and ${hasName} and ${hasState} order by m.id desc limit ${limit}`.execute(
    queries,
  );
  return rows;
}

export type ListedStore = {
  id: bigint;
  merchantId: string;
  name: string;
  merchantAccountId: bigint;
  merchant: string;
  active: boolean;
  live: boolean;
  purpose: string | null;
  plan: string;
  feeRatePercent: string;
  minimumFeeMicroUsd: bigint;
  createBurst: number;
  createSustained: number;
  lookupBurst: number;
  lookupSustained: number;
  discountPercent: string;
  trialEndsAt: Date | null;
  availableMicroUsd: bigint;
  overdraftMicroUsd: bigint;
  createdAt: Date;
};

const LISTED = sql`
  select s.id, s.merchant_id as "merchantId", s.name, s.merchant_account_id as "merchantAccountId", m.name as merchant, s.active,
    s.live, s.purpose, p.code as plan, p.fee_rate_percent as "feeRatePercent", p.minimum_fee_micro_usd as "minimumFeeMicroUsd",
    p.create_burst as "createBurst", p.create_sustained as "createSustained", p.lookup_burst as "lookupBurst",
    p.lookup_sustained as "lookupSustained", s.discount_percent as "discountPercent", s.trial_ends_at as "trialEndsAt",
    b.available_micro_usd as "availableMicroUsd", b.overdraft_micro_usd as "overdraftMicroUsd", s.created_at as "createdAt"
  from stores s join merchants m on m.id = s.merchant_account_id join plans p on p.id = s.plan_id
    join balances b on b.store_id = s.id`;

export async function listStores(
  queries: Queries,
  merchantAccountId: bigint | undefined,
  { before = LAST_ID, limit }: Page,
): Promise<ListedStore[]> {
  const isOfMerchant = merchantAccountId === undefined ? sql`true` : sql`s.merchant_account_id = ${merchantAccountId}`;
  const { rows } = await sql<ListedStore>`
    ${LISTED} where s.id < ${before} and ${isOfMerchant} order by s.id desc limit ${limit}`.execute(queries);
  return rows;
}
