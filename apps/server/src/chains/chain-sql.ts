import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { BlockRef } from '../sources/transfer.ts';

export type ChainState = {
  network: string;
  height: number;
  hash: string;
  /** Whole seconds. */
  time: number;
  /** Number of reorgs. A read that began under another number may be of a dead fork. */
  rewinds: bigint;
  frozen: boolean;
  retired: boolean;
};

const STATE_COLUMNS = ['network', 'height', 'hash', 'block_time', 'rewinds', 'frozen_at', 'retired_at'] as const;
type ChainRow = {
  network: string;
  height: bigint;
  hash: string;
  block_time: Date;
  rewinds: bigint;
  frozen_at: Date | null;
  retired_at: Date | null;
};

function stateOf(row: ChainRow): ChainState {
  return {
    network: row.network,
    height: Number(row.height),
    hash: row.hash,
    time: row.block_time.getTime() / 1000,
    rewinds: row.rewinds,
    frozen: row.frozen_at !== null,
    retired: row.retired_at !== null,
  };
}

export async function readChain(queries: Queries, network: string): Promise<ChainState | undefined> {
  const row = await queries
    .selectFrom('chains')
    .select(STATE_COLUMNS)
    .where('network', '=', network)
    .executeTakeFirst();
  return row && stateOf(row);
}

/** Starts following a chain at a block, before any quote on it. */
export async function insertChain(
  queries: Queries,
  network: string,
  block: BlockRef,
  tiers: readonly string[],
): Promise<void> {
  const at = dateFromUnix(block.time);
  const cursor = { network, height: BigInt(block.height), hash: block.hash, block_time: at };
  await queries
    .insertInto('chains')
    .values({ ...cursor, head_height: BigInt(block.height), head_time: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await queries
    .insertInto('chain_coverage')
    .values(tiers.map((tier) => ({ network, tier, height: BigInt(block.height), block_time: at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds new tiers at the lowest other coverage: quotes may use them, and blocks above were read only once. */
export async function insertMissingTiers(queries: Queries, network: string, tiers: readonly string[]): Promise<void> {
  await sql`
    insert into chain_coverage (network, tier, height, block_time)
    select c.network, t.tier, coalesce(l.height, c.height), coalesce(l.block_time, c.block_time)
    from chains c cross join unnest(${tiers}::text[]) as t (tier)
      left join lateral (
        select height, block_time from chain_coverage where network = c.network and scope = '' order by height limit 1) l on true
    where c.network = ${network}
    on conflict do nothing`.execute(queries);
}

/** Takes or extends the lease, in database time; true when it was free, own or expired. */
export async function takeLease(
  queries: Queries,
  network: string,
  owner: string,
  leaseSeconds: number,
): Promise<boolean> {
  const { rows } = await sql`
    update chains set lease_owner = ${owner}, lease_until = now() + make_interval(secs => ${leaseSeconds})
    where network = ${network} and (lease_owner is null or lease_owner = ${owner} or lease_until < now())
    returning network`.execute(queries);
  return rows.length > 0;
}

/** Saves the node's newest block and `readAt` by our clock: a large difference shows a wrong clock. */
export async function saveHead(queries: Queries, network: string, head: BlockRef, readAt: Date): Promise<void> {
  await queries
    .updateTable('chains')
    .set({ head_height: BigInt(head.height), head_time: dateFromUnix(head.time), head_read_at: readAt })
    .where('network', '=', network)
    .execute();
}

/** Undefined when another worker moved the cursor. */
export async function lockCursor(
  tx: Tx,
  network: string,
  height: number,
  hash: string,
): Promise<ChainState | undefined> {
  const row = await tx
    .selectFrom('chains')
    .select(STATE_COLUMNS)
    .where('network', '=', network)
    .where('height', '=', BigInt(height))
    .where('hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
  return row && stateOf(row);
}

export async function moveCursor(tx: Tx, network: string, block: Omit<BlockRef, 'parentHash'>): Promise<void> {
  await tx
    .updateTable('chains')
    .set({ height: BigInt(block.height), hash: block.hash, block_time: dateFromUnix(block.time) })
    .where('network', '=', network)
    .execute();
}

const NONE: ReadonlySet<number> = new Set();

export async function insertBlocks(
  queries: Queries | Tx,
  network: string,
  blocks: readonly BlockRef[],
  kept = NONE,
): Promise<void> {
  if (blocks.length === 0) return;
  await sql`
    insert into chain_blocks (network, height, hash, parent_hash, block_time, kept)
    select ${network}, height, hash, parent_hash, to_timestamp(time), height = any(${[...kept]}::bigint[])
    from ${unnestRows(blocks, 'b', {
      height: ['bigint', (block) => block.height],
      hash: ['text', (block) => block.hash],
      parent_hash: ['text', (block) => block.parentHash],
      time: ['bigint', (block) => block.time],
    })}
    on conflict (network, height) do update set hash = excluded.hash, parent_hash = excluded.parent_hash,
      block_time = excluded.block_time, kept = chain_blocks.kept or excluded.kept`.execute(queries);
}

export async function readBlock(queries: Queries, network: string, height: number): Promise<BlockRef | undefined> {
  const row = await queries
    .selectFrom('chain_blocks')
    .selectAll()
    .where('network', '=', network)
    .where('height', '=', BigInt(height))
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    height: Number(row.height),
    hash: row.hash,
    parentHash: row.parent_hash,
    time: row.block_time.getTime() / 1000,
  };
}

/** Stored headers at or below a height, highest first. */
export async function readBlocksDown(
  queries: Queries,
  network: string,
  height: number,
  limit: number,
): Promise<BlockRef[]> {
  const rows = await queries
    .selectFrom('chain_blocks')
    .selectAll()
    .where('network', '=', network)
    .where('height', '<=', BigInt(height))
    .orderBy('height', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    height: Number(row.height),
    hash: row.hash,
    parentHash: row.parent_hash,
    time: row.block_time.getTime() / 1000,
  }));
}

/** The highest stored header at or before a time, in unix seconds. */
export async function readAgedHeight(queries: Queries, network: string, time: number): Promise<number | undefined> {
  const row = await queries
    .selectFrom('chain_blocks')
    .select('height')
    .where('network', '=', network)
    .where('block_time', '<=', dateFromUnix(time))
    .orderBy('height', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.height);
}

export async function deleteBlocksAbove(tx: Tx, network: string, height: number): Promise<void> {
  await tx.deleteFrom('chain_blocks').where('network', '=', network).where('height', '>', BigInt(height)).execute();
}

export async function countRewind(tx: Tx, network: string): Promise<void> {
  await tx
    .updateTable('chains')
    .set((eb) => ({ rewinds: eb('rewinds', '+', 1n) }))
    .where('network', '=', network)
    .execute();
}

export type Coverage = { tier: string; height: number; time: number };

export async function readCoverage(queries: Queries | Tx, network: string): Promise<Coverage[]> {
  const rows = await queries
    .selectFrom('chain_coverage')
    .select(['tier', 'height', 'block_time'])
    .where('network', '=', network)
    .where('scope', '=', '')
    .execute();
  return rows.map((row) => ({ tier: row.tier, height: Number(row.height), time: row.block_time.getTime() / 1000 }));
}

/** Moves a tier's coverage from `from`; false when another worker moved it. */
export async function moveCoverage(
  tx: Tx,
  network: string,
  tier: string,
  from: number,
  to: Omit<BlockRef, 'parentHash'>,
): Promise<boolean> {
  const result = await tx
    .updateTable('chain_coverage')
    .set({ height: BigInt(to.height), block_time: dateFromUnix(to.time) })
    .where('network', '=', network)
    .where('scope', '=', '')
    .where('tier', '=', tier)
    .where('height', '=', BigInt(from))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Lowers coverage to the common ancestor: blocks above are gone. */
export async function lowerCoverage(tx: Tx, network: string, ancestor: BlockRef): Promise<void> {
  await tx
    .updateTable('chain_coverage')
    .set({ height: BigInt(ancestor.height), block_time: dateFromUnix(ancestor.time) })
    .where('network', '=', network)
    .where('scope', '=', '')
    .where('height', '>', BigInt(ancestor.height))
    .execute();
}

/** Freezes a network; false when it was frozen already. */
export async function freezeChain(tx: Tx, network: string, at: Date, reason: string): Promise<boolean> {
  const result = await tx
    .updateTable('chains')
    .set({ frozen_at: at, frozen_reason: reason })
    .where('network', '=', network)
    .where('frozen_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function isFrozen(tx: Tx, network: string): Promise<boolean> {
  const row = await tx.selectFrom('chains').select('frozen_at').where('network', '=', network).executeTakeFirst();
  return row !== undefined && row.frozen_at !== null;
}

/** Waits for the commit of a read and delays the next, so that nothing settles past a rewind. */
export async function lockChain(tx: Tx, network: string): Promise<ChainState | undefined> {
  const row = await tx
    .selectFrom('chains')
    .select(STATE_COLUMNS)
    .where('network', '=', network)
    .forUpdate()
    .executeTakeFirst();
  return row && stateOf(row);
}

/** Ends a freeze and accepts the lost payments, which then do not freeze the network again. */
export async function endFreeze(tx: Tx, network: string): Promise<boolean> {
  await tx.deleteFrom('reverted_payments').where('network', '=', network).execute();
  const result = await tx
    .updateTable('chains')
    .set({ frozen_at: null, frozen_reason: null })
    .where('network', '=', network)
    .where('frozen_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function markRetired(tx: Tx, network: string, at: Date, reason: string): Promise<boolean> {
  const result = await tx
    .updateTable('chains')
    .set({ retired_at: at, retired_reason: reason })
    .where('network', '=', network)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
