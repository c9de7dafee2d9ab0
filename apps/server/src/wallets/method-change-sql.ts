import { sql } from 'kysely';
import { IS_CONFIRMED } from '../confirmations/confirmation-sql.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { HAS_ACCESS } from '../people/membership-sql.ts';
import type { ExchangeParts, MethodChangeState, MethodKind, MethodPlace } from './method-change.ts';

/** Statements about payment-method changes; those that decide one require that the merchant's methods are held. */

type StoreOfMerchant = { merchantAccountId: bigint; storeId: bigint };

type ChangeFacts = {
  inUse: boolean;
  hadMethod: boolean;
  waiting: string | null;
  recent: number;
  ownerId: bigint | null;
};

export async function readChangeFacts(
  tx: Tx,
  { merchantAccountId, storeId }: StoreOfMerchant,
  { network, family, address }: MethodPlace,
  { since, recentLimit }: { since: Date; recentLimit: number },
): Promise<ChangeFacts> {
  const { rows } = await sql<ChangeFacts>`
    select
      exists (select from wallets where store_id = ${storeId} and network = ${network} and address = ${address}
        and removed_at is null) as "inUse",
      exists (select from wallets where store_id = ${storeId}) as "hadMethod",
      (select code from method_changes where store_id = ${storeId} and network = ${network} and state = 'pending') as waiting,
      (select count(*)::integer from (select from method_changes
        where merchant_account_id = ${merchantAccountId} and requested_at > ${since} limit ${recentLimit}) c) as recent,
      (select merchant_account_id from receiving_addresses where family = ${family} and address = ${address}) as "ownerId"`.execute(
    tx,
  );
  const [facts] = rows;
  if (!facts) throw new Error('A statement without a table answered nothing.');
  return facts;
}

type NewChange = StoreOfMerchant &
  MethodPlace & {
    code: string;
    kind: MethodKind;
    exchange: (ExchangeParts & { secretId: bigint }) | undefined;
    requestedBy: string;
    requestedAt: Date;
    effectiveAt: Date;
  };

export async function insertChange(tx: Tx, { exchange, ...change }: NewChange): Promise<void> {
  await tx
    .insertInto('method_changes')
    .values({
      code: change.code,
      merchant_account_id: change.merchantAccountId,
      store_id: change.storeId,
      kind: change.kind,
      network: change.network,
      family: change.family,
      address: change.address,
      secret_id: exchange?.secretId ?? null,
      base_url: exchange?.baseUrl ?? null,
      key_hint: exchange?.keyHint ?? null,
      bound_to_addresses: exchange?.boundToAddresses ?? null,
      is_sub_account: exchange?.isSubAccount ?? null,
      key_expires_at: exchange?.keyExpiresAt ?? null,
      requested_by: change.requestedBy,
      requested_at: change.requestedAt,
      effective_at: change.effectiveAt,
      state: 'pending',
    })
    .execute();
}

type DueChange = { id: bigint; merchantAccountId: bigint };

/** Merchants that may add methods and have pending changes. */
export async function listMerchantsWithChanges(queries: Queries, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select m.id from merchants m
    where m.methods_locked_at is null and exists (select from method_changes c where c.merchant_account_id = m.id and c.state = 'pending')
    order by m.id limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

/** Due changes, oldest first; none in a database that may have lost their cancellation. */
export async function listDueChanges(queries: Queries, now: Date, limit: number): Promise<DueChange[]> {
  const { rows } = await sql<DueChange>`
    select id, merchant_account_id as "merchantAccountId" from method_changes
    where state = 'pending' and effective_at <= ${now} and ${sql.raw(IS_CONFIRMED)} order by effective_at, id limit ${limit}`.execute(
    queries,
  );
  return rows;
}

export type WaitingChange = StoreOfMerchant &
  MethodPlace & {
    code: string;
    kind: MethodKind;
    secretId: bigint | null;
    baseUrl: string | null;
    keyHint: string | null;
    boundToAddresses: boolean | null;
    isSubAccount: boolean | null;
    keyExpiresAt: Date | null;
    requestedBy: string;
    requestedAt: Date;
    storeActive: boolean;
    storeLive: boolean;
    /** The requester's present role at the store; null for none, and for operators. */
    requesterRole: string | null;
  };

export async function lockWaitingChange(tx: Tx, id: bigint): Promise<WaitingChange | undefined> {
  const { rows } = await sql<WaitingChange>`
    select c.code, c.merchant_account_id as "merchantAccountId", c.store_id as "storeId", c.kind, c.network, c.family, c.address,
      c.secret_id as "secretId", c.base_url as "baseUrl", c.key_hint as "keyHint", c.bound_to_addresses as "boundToAddresses",
      c.is_sub_account as "isSubAccount", c.key_expires_at as "keyExpiresAt", c.requested_by as "requestedBy",
      c.requested_at as "requestedAt", s.active as "storeActive", s.live as "storeLive",
      (select m.role from people p join memberships m on m.person_id = p.id
        where p.code = substr(c.requested_by, length('person:') + 1) and c.requested_by like 'person:%' and p.disabled_at is null
          and m.merchant_account_id = c.merchant_account_id and ${HAS_ACCESS}
          and (m.all_stores or exists (select from membership_stores l where l.merchant_account_id = m.merchant_account_id
            and l.person_id = m.person_id and l.store_id = c.store_id))) as "requesterRole"
    from method_changes c join stores s on s.id = c.store_id
    where c.id = ${id} and c.state = 'pending' for update of c for share of s`.execute(tx);
  return rows[0];
}

type Decided = { state: Exclude<MethodChangeState, 'pending'>; by: string; at: Date; fault?: string };

type Waiting = { merchantAccountId: bigint; storeId?: bigint; network?: string; address?: string; code?: string };

/** Decides pending changes; returns their codes. */
export async function decideWaiting(tx: Tx, waiting: Waiting, { state, by, at, fault }: Decided): Promise<string[]> {
  const { merchantAccountId, storeId, network, address, code } = waiting;
  const { rows } = await sql<{ code: string }>`
    update method_changes set state = ${state}, decided_by = ${by}, decided_at = ${at}, fault = ${fault ?? null}
    where merchant_account_id = ${merchantAccountId} and state = 'pending'
      ${storeId === undefined ? sql`` : sql`and store_id = ${storeId}`}
      ${network === undefined ? sql`` : sql`and network = ${network}`}
      ${address === undefined ? sql`` : sql`and address = ${address}`}
      ${code === undefined ? sql`` : sql`and code = ${code}`}
    returning code`.execute(tx);
  return rows.map((row) => row.code).toSorted();
}

/** Whether a lock since a moment stopped a change that the person requested. */
export async function hasStoppedRequest(
  tx: Tx,
  { merchantAccountId, requestedBy, since }: { merchantAccountId: bigint; requestedBy: string; since: Date },
): Promise<boolean> {
  const { rows } = await sql`
    select from method_changes
    where merchant_account_id = ${merchantAccountId} and requested_by = ${requestedBy} and state = 'locked' and decided_at > ${since}
    limit 1`.execute(tx);
  return rows.length > 0;
}

export async function findStoreOfChange(
  queries: Queries,
  merchantAccountId: bigint,
  code: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ merchantId: string }>`
    select s.merchant_id as "merchantId" from method_changes c join stores s on s.id = c.store_id
    where c.code = ${code} and c.merchant_account_id = ${merchantAccountId}`.execute(queries);
  return rows[0]?.merchantId;
}

export async function isChangeOfStore(tx: Tx, storeId: bigint, code: string): Promise<boolean> {
  const { rows } = await sql`select from method_changes where code = ${code} and store_id = ${storeId}`.execute(tx);
  return rows.length > 0;
}

export type ListedChange = {
  code: string;
  kind: MethodKind;
  network: string;
  address: string;
  requestedBy: string;
  requestedAt: Date;
  effectiveAt: Date;
  state: MethodChangeState;
  decidedAt: Date | null;
  fault: string | null;
};

/** Changes of a store, newest first. */
export async function listChanges(queries: Queries, storeId: bigint, limit: number): Promise<ListedChange[]> {
  const { rows } = await sql<ListedChange>`
    select code, kind, network, address, requested_by as "requestedBy", requested_at as "requestedAt",
      effective_at as "effectiveAt", state, decided_at as "decidedAt", fault
    from method_changes where store_id = ${storeId} order by id desc limit ${limit}`.execute(queries);
  return rows;
}

type AnnouncedPlace = { merchant: string; store: string; network: string; address: string };

type AnnouncedChange = AnnouncedPlace & { requestedBy: string; effectiveAt: Date; state: MethodChangeState };

export async function findAnnouncedChange(queries: Queries, code: string): Promise<AnnouncedChange | undefined> {
  const { rows } = await sql<AnnouncedChange>`
    select m.name as merchant, s.name as store, c.network, c.address, c.requested_by as "requestedBy",
      c.effective_at as "effectiveAt", c.state
    from method_changes c join stores s on s.id = c.store_id join merchants m on m.id = c.merchant_account_id
    where c.code = ${code}`.execute(queries);
  return rows[0];
}

export async function findAnnouncedWallet(queries: Queries, walletId: bigint): Promise<AnnouncedPlace | undefined> {
  const { rows } = await sql<AnnouncedPlace>`
    select m.name as merchant, s.name as store, w.network, w.address
    from wallets w join stores s on s.id = w.store_id join merchants m on m.id = w.merchant_account_id
    where w.id = ${walletId}`.execute(queries);
  return rows[0];
}
