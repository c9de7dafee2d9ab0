import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { TAKES_FEES } from '../merchants/plan-sql.ts';
import { IS_CLAIM_OF_MONEY } from '../invoices/claim-sql.ts';
import type { NoticeKind } from './notice.ts';
import type { NoticeReader } from './notice-sql.ts';
import { SEES } from './notice-sql.ts';

type StorePlace = { merchantAccountId: bigint; storeId: bigint };

/** Whether the notice of a fact lasts. */
const LASTS = (kind: NoticeKind, subject: ReturnType<typeof sql>) => sql`exists (select from notices n
  where n.merchant_account_id = s.merchant_account_id and n.kind = ${kind} and n.subject = ${subject} and n.over_at is null)`;

/**
 * Whether host `p.host` of store `p.store_id` accepted a webhook since endpoint `p` began to fail. A shop may use an
 * address per order: an old, unused one says nothing about its host.
 */
const ANSWERED_SINCE = sql`exists (select from endpoints o where o.store_id = p.store_id and o.answered_at > p.failing_since and o.host = p.host)`;

type FailingHost = StorePlace & { host: string };

export async function listFailingHosts(
  tx: Tx,
  kind: NoticeKind,
  { before, lookedAt }: { before: Date; lookedAt: number },
): Promise<FailingHost[]> {
  const { rows } = await sql<FailingHost>`
    select distinct s.merchant_account_id as "merchantAccountId", s.id as "storeId", p.host
    from (select p.* from endpoints p where p.failing_since <= ${before} order by p.failing_since desc limit ${lookedAt}) p
      join stores s on s.id = p.store_id and s.live
    where not ${ANSWERED_SINCE} and not ${LASTS(kind, sql`s.id || ':' || p.host`)}
    order by 2, 3`.execute(tx);
  return rows;
}

type LastingHost = FailingHost & { subject: string; noticeId: bigint; kind: NoticeKind };

/** Hosts that were reported as failing and have recovered. */
export async function listRecoveredHosts(
  tx: Tx,
  kind: NoticeKind,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<{ recovered: LastingHost[]; lastId: bigint | undefined }> {
  const { rows } = await sql<LastingHost & { fails: boolean }>`
    select n.id as "noticeId", n.kind, n.subject, n.merchant_account_id as "merchantAccountId", n.store_id as "storeId",
      substr(n.subject, 1 + position(':' in n.subject)) as host,
      exists (select from endpoints p where p.store_id = n.store_id and p.failures > 0 and p.failing_since is not null
        and p.host = substr(n.subject, 1 + position(':' in n.subject)) and not ${ANSWERED_SINCE}) as fails
    from (select * from notices where kind = ${kind} and over_at is null and id > ${afterId} order by id limit ${limit}) n
    order by n.id`.execute(tx);
  return { recovered: rows.filter(({ fails }) => !fails), lastId: rows.at(-1)?.noticeId };
}

type StoreBalance = StorePlace & {
  availableMicroUsd: bigint;
  thresholdMicroUsd: bigint | null;
  feesMicroUsd: bigint;
  /** Whether the store had sales since the day, and pays fees. */
  sells: boolean;
  /** Whether it was reported as low and has not recovered. */
  isTold: boolean;
};

export async function listBalances(
  tx: Tx,
  { afterId, since, limit }: { afterId: bigint; since: string; limit: number },
): Promise<StoreBalance[]> {
  const { rows } = await sql<StoreBalance>`
    select s.merchant_account_id as "merchantAccountId", s.id as "storeId", b.available_micro_usd as "availableMicroUsd",
      s.low_balance_micro_usd as "thresholdMicroUsd",
      (select coalesce(sum(d.fee_micro_usd), 0)::bigint from store_days d where d.store_id = s.id and d.day >= ${since}::date) as "feesMicroUsd",
      ${TAKES_FEES} and exists (select from store_days d where d.store_id = s.id and d.day >= ${since}::date and d.completed > 0) as sells,
      ${LASTS('low-balance', sql`s.id::text`)} as "isTold"
    from (select * from stores where id > ${afterId} order by id limit ${limit}) s join balances b on b.store_id = s.id
    where s.live and s.active order by s.id`.execute(tx);
  return rows;
}

export async function findLastStoreId(
  tx: Tx,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint | null }>`
    select max(id) as id from (select id from stores where id > ${afterId} order by id limit ${limit}) s`.execute(tx);
  return rows[0]?.id ?? undefined;
}

export type UnmatchedMoney = StorePlace & { transferId: bigint };

/** Whether transfer `t` concerns store `w.store_id`: meant for no invoice, or for one of this store. */
const IS_OF_STORE = sql`coalesce((select i.store_id = w.store_id from invoices i
  where i.id = coalesce(t.invoice_id, (select q.invoice_id from quotes q where q.id = t.quote_id))), true)`;

/** Whether a member of the merchant dismissed transfer `t`. */
const IS_DISMISSED = (merchantAccountId: ReturnType<typeof sql>) => sql`exists (select from dismissed_transfers x
  where x.merchant_account_id = ${merchantAccountId} and x.transfer_id = t.id)`;

/** Claims per transfer that are reported. */
const MAX_CLAIMS = 5;

type UnmatchedChoice = {
  since: Date;
  sinceId: bigint;
  quietSince: Date;
  /** Newest transfers read per address. */
  lookedAt: number;
  limit: number;
};

/**
 * Unmatched transfers to live stores since a moment, neither reported nor dismissed, with ids from `sinceId` on.
 * Merchants that were notified after `quietSince` wait.
 */
export async function listUnmatched(
  tx: Tx,
  wallets: { afterId: bigint; limit: number },
  { since, sinceId, quietSince, lookedAt, limit }: UnmatchedChoice,
): Promise<UnmatchedMoney[]> {
  const { rows } = await sql<UnmatchedMoney>`
    select s.merchant_account_id as "merchantAccountId", s.id as "storeId", t.id as "transferId"
    from (select * from wallets where id > ${wallets.afterId} order by id limit ${wallets.limit}) w
      join stores s on s.id = w.store_id and s.live
      cross join lateral (select t.id, t.seen_at, t.quote_id, t.invoice_id from transfers t
        where t.network = w.network and t.to_address = w.address and t.reason is not null and t.canonical and t.id >= ${sinceId}
        order by t.id desc limit ${lookedAt}) t
    where not starts_with(w.network, ${SANDBOX_PREFIX}) and t.seen_at > ${since} and not ${LASTS('unmatched-money', sql`t.id::text`)}
      and not ${IS_DISMISSED(sql`s.merchant_account_id`)} and ${IS_OF_STORE}
      and not exists (select from notices n where n.merchant_account_id = s.merchant_account_id and n.kind = 'unmatched-money'
        and n.at > ${quietSince})
    order by 1, 3, 2 limit ${limit}`.execute(tx);
  return rows;
}

type ClaimedMoney = StorePlace & { subject: string };

/** Subject of a notice about a claim: transfer and invoice. */
const CLAIM_SUBJECT = sql`t.id || ':' || claim.invoice_id`;

/** Customers' claims to unmatched transfers since a moment that were not reported. */
export async function listClaimed(
  tx: Tx,
  wallets: { afterId: bigint; limit: number },
  { since, sinceId, lookedAt, limit }: Omit<UnmatchedChoice, 'quietSince'>,
): Promise<ClaimedMoney[]> {
  const { rows } = await sql<ClaimedMoney>`
    select s.merchant_account_id as "merchantAccountId", s.id as "storeId", ${CLAIM_SUBJECT} as subject
    from (select * from wallets where id > ${wallets.afterId} order by id limit ${wallets.limit}) w
      join stores s on s.id = w.store_id and s.live
      cross join lateral (select t.id, t.network, t.tx_id, t.to_address, t.seen_at from transfers t
        where t.network = w.network and t.to_address = w.address and t.reason is not null and t.canonical and t.id >= ${sinceId}
        order by t.id desc limit ${lookedAt}) t
      cross join lateral (select n.invoice_id from named_transactions n
        where n.network = t.network and n.tx_id = t.tx_id and n.store_id = s.id and ${IS_CLAIM_OF_MONEY}
        order by n.named_at, n.invoice_id limit ${MAX_CLAIMS}) claim
    where not starts_with(w.network, ${SANDBOX_PREFIX}) and t.seen_at > ${since}
      and not ${LASTS('payment-claimed', CLAIM_SUBJECT)} and not ${IS_DISMISSED(sql`s.merchant_account_id`)}
    order by t.id, claim.invoice_id limit ${limit}`.execute(tx);
  return rows;
}

export type ClaimFacts = {
  account: string;
  network: string;
  token: string;
  units: string;
  transId: string;
  requestId: string | null;
};

/** A claim whose transfer is still unmatched and not dismissed. */
export async function findClaim(
  queries: Queries,
  merchantAccountId: bigint,
  { transferId, invoiceId }: { transferId: bigint; invoiceId: bigint },
): Promise<ClaimFacts | undefined> {
  const { rows } = await sql<ClaimFacts>`
    select a.code as account, t.network, t.token, t.units, i.trans_id as "transId", i.request_id as "requestId"
    from transfers t join invoices i on i.id = ${invoiceId} join stores s on s.id = i.store_id
      join merchants a on a.id = s.merchant_account_id
    where t.id = ${transferId} and t.reason is not null and t.canonical and a.id = ${merchantAccountId}
      and not ${IS_DISMISSED(sql`${merchantAccountId}::bigint`)}`.execute(queries);
  return rows[0];
}

/** Of a reported batch of unmatched transfers, how many are still unmatched and in stores that a member sees. */
export async function countUnmatched(
  queries: Queries,
  { merchantAccountId, personId }: NoticeReader,
  at: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from notices n join transfers t on t.id = n.subject::bigint
    where n.merchant_account_id = ${merchantAccountId} and n.kind = 'unmatched-money' and n.at = ${at}
      and t.reason is not null and t.canonical and not ${IS_DISMISSED(sql`n.merchant_account_id`)}
      and exists (select from wallets w join memberships m on m.merchant_account_id = w.merchant_account_id
        where w.network = t.network and w.address = t.to_address and m.merchant_account_id = n.merchant_account_id
          and m.person_id = ${personId} and ${SEES(sql`w.store_id`)} and ${IS_OF_STORE})`.execute(queries);
  return rows[0]?.count ?? 0;
}

/** The first transfer from an id on, and when it was seen. */
export async function findTransferFrom(tx: Tx, id: bigint): Promise<{ id: bigint; at: Date } | undefined> {
  const { rows } = await sql<{ id: bigint; at: Date }>`
    select id, seen_at as at from transfers where id >= ${id} order by id limit 1`.execute(tx);
  return rows[0];
}

export async function findNewestTransferId(tx: Tx): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`select id from transfers order by id desc limit 1`.execute(tx);
  return rows[0]?.id;
}

export async function findLastWalletId(
  tx: Tx,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint | null }>`
    select max(id) as id from (select id from wallets where id > ${afterId} order by id limit ${limit}) w`.execute(tx);
  return rows[0]?.id ?? undefined;
}

type EndingKey = StorePlace & { subject: string };

/** Subject of a notice about an ending API key: id and end, so that a changed end is reported again. */
const KEY_SUBJECT = sql`k.id || ':' || extract(epoch from k.expires_at)::bigint`;

export async function listEndingApiKeys(
  tx: Tx,
  { now, before, limit }: { now: Date; before: Date; limit: number },
): Promise<EndingKey[]> {
  const { rows } = await sql<EndingKey>`
    select s.merchant_account_id as "merchantAccountId", s.id as "storeId", ${KEY_SUBJECT} as subject
    from api_keys k join stores s on s.id = k.store_id and s.live
    where k.expires_at < 'infinity' and k.expires_at > ${now} and k.expires_at <= ${before}
      and not ${LASTS('api-key-ending', KEY_SUBJECT)}
    order by k.expires_at, k.id limit ${limit}`.execute(tx);
  return rows;
}

type EndingExchangeKey = { merchantAccountId: bigint; subject: string; storeIds: bigint[] };

const EXCHANGE_SUBJECT = sql`x.network || ' ' || x.account || ' ' || extract(epoch from x.key_expires_at)::bigint`;

/** Exchange account keys that end before a moment and were not reported, with their stores. */
export async function listEndingExchangeKeys(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<EndingExchangeKey[]> {
  const { rows } = await sql<EndingExchangeKey>`
    select s.merchant_account_id as "merchantAccountId", ${EXCHANGE_SUBJECT} as subject,
      array(select w.store_id from wallets w where w.network = x.network and w.address = x.account and w.removed_at is null
        order by 1) as "storeIds"
    from exchange_accounts x cross join lateral (select x.merchant_account_id) s
    where x.key_expires_at is not null and x.removed_at is null and x.key_expires_at <= ${before}
      and not ${LASTS('exchange-key-ending', EXCHANGE_SUBJECT)}
    order by x.key_expires_at limit ${limit}`.execute(tx);
  return rows;
}

/** Data of an email about an API key; undefined once it has ended. */
export async function findEndingApiKey(
  queries: Queries,
  id: bigint,
  now: Date,
): Promise<{ hint: string; endsAt: Date } | undefined> {
  const { rows } = await sql<{ hint: string; endsAt: Date }>`
    select hint, expires_at as "endsAt" from api_keys where id = ${id} and expires_at > ${now} and expires_at < 'infinity'`.execute(
    queries,
  );
  return rows[0];
}

/** The end of an exchange account's key, if it has one, is not removed, and belongs to a store that the member sees. */
export async function findExchangeKeyEnd(
  queries: Queries,
  { merchantAccountId, personId }: NoticeReader,
  { network, account }: { network: string; account: string },
): Promise<Date | undefined> {
  const { rows } = await sql<{ endsAt: Date }>`
    select x.key_expires_at as "endsAt" from exchange_accounts x
      join memberships m on m.merchant_account_id = ${merchantAccountId} and m.person_id = ${personId}
    where x.network = ${network} and x.account = ${account} and x.key_expires_at is not null and x.removed_at is null
      and (m.all_stores or exists (select from wallets w where w.network = x.network and w.address = x.account
        and w.removed_at is null and ${SEES(sql`w.store_id`)}))`.execute(queries);
  return rows[0]?.endsAt;
}

export async function findFailingSince(
  queries: Queries,
  { storeId, host }: { storeId: bigint; host: string },
): Promise<Date | undefined> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(failing_since) as since from endpoints where store_id = ${storeId} and failures > 0 and host = ${host}`.execute(
    queries,
  );
  return rows[0]?.since ?? undefined;
}

export async function findAvailable(queries: Queries, storeId: bigint): Promise<bigint | undefined> {
  const { rows } = await sql<{ available: bigint }>`
    select available_micro_usd as available from balances where store_id = ${storeId}`.execute(queries);
  return rows[0]?.available;
}
