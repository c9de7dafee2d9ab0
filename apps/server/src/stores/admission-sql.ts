import { requireDecimal } from '@counterfoil/core/amount.ts';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import type { Prepared, Queries } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import { DISCOUNT_DECIMALS, FEE_RATE_DECIMALS } from '../ledger/fee.ts';
import type { KeyedStore, Endpoint, RateVerdict, Taken } from './admission.ts';
import { BURST_WINDOW_SECONDS, CONTRACT_LIMITS, judgeRate, SUSTAINED_WINDOW_SECONDS } from './admission.ts';

/** `keyHash` is null without a well-formed key; `address` is the IP address. */
export type AdmissionAsk = { keyHash: Buffer | null; address: string };
export type Admission = {
  store: KeyedStore | undefined;
  rate: RateVerdict;
  /** Requests per minute of the store or address. */
  sustained: number;
};

const PLAN_LIMITS: Record<Endpoint, { burst: string; sustained: string }> = {
  create: { burst: 'p.create_burst', sustained: 'p.create_sustained' },
  cancel: { burst: 'p.create_burst', sustained: 'p.create_sustained' },
  lookup: { burst: 'p.lookup_burst', sustained: 'p.lookup_sustained' },
  list: { burst: 'null', sustained: 'null' },
  sandbox: { burst: 'null', sustained: 'null' },
  other: { burst: 'p.lookup_burst', sustained: 'p.lookup_sustained' },
};

/** The stores of a statement: by API key, or given. */
const ASKED = {
  key: `unnest($1::bytea[], $2::text[], $3::integer[]) with ordinality as a (key_hash, address, requested, position)
    left join api_keys k on k.hash = a.key_hash and k.expires_at > statement_timestamp()
    left join stores s on s.id = k.store_id`,
  store: `unnest($1::bigint[], $2::text[], $3::integer[]) with ordinality as a (store_id, address, requested, position)
    join stores s on s.id = a.store_id`,
};

/**
 * Admits many requests in one statement: finds each key's store, and advances both rate windows in database time, so
 * that all processes share them. Rows are locked in order, to avoid deadlocks.
 */
function admitStatement(endpoint: Endpoint, by: keyof typeof ASKED = 'key'): Prepared {
  const plan = PLAN_LIMITS[endpoint];
  const contract = CONTRACT_LIMITS[endpoint];
  const secondOver = `r.burst_started_at <= statement_timestamp() - interval '${BURST_WINDOW_SECONDS} seconds'`;
  const minuteOver = `r.sustained_started_at <= statement_timestamp() - interval '${SUSTAINED_WINDOW_SECONDS} seconds'`;
  const usedThisSecond = `case when ${secondOver} then 0 else r.burst_used end`;
  return {
    name: by === 'key' ? `admit-${endpoint}` : `admit-${endpoint}-by-${by}`,
    text: `
with known as (
  select a.position, a.requested, coalesce('s' || s.id, 'a' || a.address) as bucket,
    coalesce(${plan.burst}, ${contract.burst}) as burst, coalesce(${plan.sustained}, ${contract.sustained}) as sustained,
    s.id, s.merchant_account_id, s.merchant_id, s.shard, s.live, s.active, m.active as account_active, s.lifetime_minutes, s.https_callbacks_only,
    s.trial_ends_at, p.fee_rate_percent, p.minimum_fee_micro_usd, s.discount_percent
  from ${ASKED[by]}
    left join merchants m on m.id = s.merchant_account_id
    left join plans p on p.id = s.plan_id
), taken as (
  insert into admissions as r
    (bucket, endpoint, requested, burst_limit, burst_started_at, burst_used, sustained_started_at, sustained_used)
  select bucket, '${endpoint}', sum(requested), max(burst), statement_timestamp(), sum(requested),
    statement_timestamp(), least(sum(requested), max(burst))
  from known group by bucket order by bucket
  on conflict (bucket, endpoint) do update set
    requested = excluded.requested,
    burst_limit = excluded.burst_limit,
    burst_started_at = case when ${secondOver} then statement_timestamp() else r.burst_started_at end,
    burst_used = ${usedThisSecond} + excluded.requested,
    sustained_started_at = case when ${minuteOver} then statement_timestamp() else r.sustained_started_at end,
    sustained_used = case when ${minuteOver} then 0 else r.sustained_used end
      + greatest(0, least(excluded.requested, excluded.burst_limit - (${usedThisSecond})))
  returning bucket, requested, burst_used, sustained_used,
    ceil(extract(epoch from burst_started_at - statement_timestamp()))::integer + ${BURST_WINDOW_SECONDS} as burst_reset,
    ceil(extract(epoch from sustained_started_at - statement_timestamp()))::integer + ${SUSTAINED_WINDOW_SECONDS} as sustained_reset
)
select k.*, t.requested as taken, t.burst_used, t.sustained_used, t.burst_reset, t.sustained_reset
from known k join taken t using (bucket)
order by k.position`,
  };
}

export const ADMIT_STATEMENTS: Record<Endpoint, Prepared> = {
  create: admitStatement('create'),
  cancel: admitStatement('cancel'),
  lookup: admitStatement('lookup'),
  list: admitStatement('list'),
  sandbox: admitStatement('sandbox'),
  other: admitStatement('other'),
};

type AdmitRow = {
  bucket: string;
  burst: number;
  sustained: number;
  id: bigint | null;
  merchant_account_id: bigint;
  merchant_id: string;
  shard: string;
  live: boolean;
  active: boolean;
  account_active: boolean;
  lifetime_minutes: number;
  https_callbacks_only: boolean;
  trial_ends_at: Date | null;
  fee_rate_percent: string;
  minimum_fee_micro_usd: bigint;
  discount_percent: string;
  taken: number;
  burst_used: number;
  sustained_used: number;
  burst_reset: number;
  sustained_reset: number;
};

function storeOf(row: AdmitRow): KeyedStore | undefined {
  if (row.id === null) return undefined;
  return {
    id: row.id,
    merchantAccountId: row.merchant_account_id,
    merchantId: row.merchant_id,
    shard: row.shard,
    live: row.live,
    active: row.active,
    accountActive: row.account_active,
    lifetimeMinutes: row.lifetime_minutes,
    httpsCallbacksOnly: row.https_callbacks_only,
    trialEndsAt: row.trial_ends_at,
    feePlan: {
      rateUnits: requireDecimal(row.fee_rate_percent, FEE_RATE_DECIMALS),
      discountUnits: requireDecimal(row.discount_percent, DISCOUNT_DECIMALS),
      minimumMicroUsd: row.minimum_fee_micro_usd,
    },
  };
}

function takenOf(row: AdmitRow): Taken {
  return {
    limits: { burst: row.burst, sustained: row.sustained },
    requested: row.taken,
    burstUsed: row.burst_used,
    sustainedUsed: row.sustained_used,
    burstResetSeconds: Math.max(1, row.burst_reset),
    sustainedResetSeconds: Math.max(1, row.sustained_reset),
  };
}

/** Equal requests share one row of the statement; their order decides which pass. */
export async function admitAll(pool: pg.Pool, endpoint: Endpoint, asks: readonly AdmissionAsk[]): Promise<Admission[]> {
  const groups = new Map<string, { ask: AdmissionAsk; requested: number; row?: AdmitRow }>();
  const groupOfAsk = asks.map((ask) => {
    const name = `${ask.keyHash?.toString('latin1') ?? ''} ${ask.address}`;
    const group = groups.get(name) ?? { ask, requested: 0 };
    group.requested += 1;
    groups.set(name, group);
    return group;
  });
  const asked = [...groups.values()];
  const rows = await runPrepared<AdmitRow>(pool, ADMIT_STATEMENTS[endpoint], [
    asked.map((group) => group.ask.keyHash),
    asked.map((group) => group.ask.address),
    asked.map((group) => group.requested),
  ]);
  for (const [position, group] of asked.entries()) {
    const row = rows[position];
    if (row) group.row = row;
  }
  const places = new Map<string, number>();
  return groupOfAsk.map(({ row }) => {
    if (!row) throw new Error('Admission answered fewer rows than it was asked for.');
    const place = (places.get(row.bucket) ?? 0) + 1;
    places.set(row.bucket, place);
    return { store: storeOf(row), rate: judgeRate(takenOf(row), place), sustained: row.sustained };
  });
}

/** Members' actions count in the rate windows of the store's own requests. */
export const ADMIT_STORE_STATEMENTS = {
  create: admitStatement('create', 'store'),
  cancel: admitStatement('cancel', 'store'),
  sandbox: admitStatement('sandbox', 'store'),
};

/** Admits a member's request to create or cancel an invoice, or change a test invoice. */
export async function admitStore(
  queries: Queries,
  storeId: bigint,
  endpoint: keyof typeof ADMIT_STORE_STATEMENTS,
): Promise<Admission> {
  const values = [[storeId], [''], [1]];
  const { text } = ADMIT_STORE_STATEMENTS[endpoint];
  const { rows } = await queries.executeQuery<AdmitRow>(CompiledQuery.raw(text, values));
  const [row] = rows;
  if (!row) throw new Error('Admission answered no row.');
  return { store: storeOf(row), rate: judgeRate(takenOf(row), 1), sustained: row.sustained };
}

/** Cursor over all admissions. */
export type AdmissionPlace = { bucket: string; endpoint: string };
type Forgotten = { deleted: number; /** Where to go on; undefined at the end. */ next: AdmissionPlace | undefined };

/** Deletes idle admissions, whose windows have passed, in key order; skips locked ones, which are in use. */
export async function deleteIdleAdmissions(
  pool: pg.Pool,
  after: AdmissionPlace | undefined,
  limit: number,
): Promise<Forgotten> {
  const { rows } = await pool.query<AdmissionPlace & { looked: number; deleted: number }>(
    `with looked as (
       select bucket, endpoint, sustained_started_at, burst_started_at from admissions
       where (bucket, endpoint) > ($1, $2) order by bucket, endpoint limit $3
     ), gone as (
       delete from admissions where (bucket, endpoint) in (
         select a.bucket, a.endpoint from admissions a join looked l using (bucket, endpoint)
         where l.sustained_started_at < statement_timestamp() - interval '2 minutes'
           and l.burst_started_at < statement_timestamp() - interval '2 minutes'
           and a.sustained_started_at = l.sustained_started_at and a.burst_started_at = l.burst_started_at
         for update of a skip locked)
       returning 1
     )
     select l.bucket, l.endpoint, (select count(*) from looked)::integer as looked, (select count(*) from gone)::integer as deleted
     from looked l order by l.bucket desc, l.endpoint desc limit 1`,
    [after?.bucket ?? '', after?.endpoint ?? '', limit],
  );
  const [last] = rows;
  if (!last) return { deleted: 0, next: undefined };
  const next = last.looked < limit ? undefined : { bucket: last.bucket, endpoint: last.endpoint };
  return { deleted: last.deleted, next };
}
