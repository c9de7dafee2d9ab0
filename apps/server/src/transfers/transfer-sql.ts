import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { Renumbering } from './align-transfers.ts';
import { alignTransfers } from './align-transfers.ts';
import { countAlikeBefore, orderAlike } from './alike-transfers.ts';
import type { QuotedUnits } from '../quotes/read-units.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import { owningQuote } from './owning-quote-sql.ts';

const IS_OTHER = sql`(transfers.to_address <> excluded.to_address or transfers.units <> excluded.units)`;

/** Evidence of transfers: which provider showed them, and what the provider was asked. */
export type Evidence = {
  by: string | null;
  how: 'logs' | 'blocks' | 'receipt' | 'trace' | 'balances' | 'account' | 'statement';
};

/** Reads the amount of a transfer in the digits that quotes have. */
type ReadQuoted = (transfer: StoredTransfer) => QuotedUnits;

type Recorded = {
  /** Transfers that are new, have moved to another block, or replace another transfer under the same number. */
  changed: bigint[];
  /** Invoices that lost a transfer, because its row now holds another transfer. */
  orphaned: bigint[];
};

type KnownRow = {
  id: bigint;
  tx_id: string;
  index: string;
  to_address: string;
  units: string;
  block_hash: string;
  canonical: boolean;
  /** Whether the transfer is canonical and shown by a read, not only named by a person. */
  standing: boolean;
  invoice_id: bigint | null;
};

/**
 * Reads the stored transfers of transactions, with a lateral join for each transaction: a plan for all transactions at
 * once, made while the table was empty, would read all transfers of the network.
 */
export async function readKnown(tx: Tx, network: string, txIds: readonly string[]): Promise<KnownRow[]> {
  const { rows } = await sql<KnownRow>`
    select t.id, t.tx_id, t.index, t.to_address, t.units, t.block_hash, t.canonical and t.named_by is null as standing, t.canonical,
      t.invoice_id
    from unnest(${txIds}::text[]) as k (tx_id) cross join lateral (
      select * from transfers t where t.network = ${network} and t.tx_id = k.tx_id order by t.network, t.tx_id, t.index) t`.execute(
    tx,
  );
  return rows;
}

/**
 * Gives stored transfers new numbers, in two steps: two transfers may swap numbers, and the unique key is checked row
 * by row.
 */
async function renumber(tx: Tx, renumberings: readonly Renumbering[]): Promise<void> {
  if (renumberings.length === 0) return;
  const ids = renumberings.map(({ id }) => id);
  await sql`update transfers set index = index || '~' || id where id = any(${ids}::bigint[])`.execute(tx);
  await sql`
    update transfers t set index = r.index
    from ${unnestRows(renumberings, 'r', { id: ['bigint', ({ id }) => id], index: ['text', ({ index }) => index] })}
    where t.id = r.id`.execute(tx);
}

/**
 * Records transfers. A known transfer keeps its row and takes its present number and block. A row whose transfer left
 * the chain and that now holds another transfer is matched anew, and the invoice that the row was attached to is
 * returned as orphaned. With `readQuoted`, a new transfer is attached to the quote that owned its amount as it is inserted,
 * which saves writing its row and its index entries twice.
 */
export async function recordTransfers(
  tx: Tx,
  network: string,
  transfers: readonly StoredTransfer[],
  seenAt: Date,
  evidence: Evidence = { by: null, how: 'logs' },
  readQuoted?: ReadQuoted,
): Promise<Recorded> {
  if (transfers.length === 0) return { changed: [], orphaned: [] };
  const known = await readKnown(tx, network, [...new Set(transfers.map(({ txId }) => txId))]);
  const stored = known.map((row) => ({
    id: row.id,
    txId: row.tx_id,
    index: row.index,
    to: row.to_address,
    units: BigInt(row.units),
    blockHash: row.block_hash,
    canonical: row.canonical,
  }));
  const renumberings = alignTransfers(stored, transfers);
  await renumber(tx, renumberings);
  const changed = await upsertRows(tx, network, notStored(known, renumberings, transfers), seenAt, {
    evidence,
    readQuoted,
  });
  const moved = new Set(renumberings.map(({ id }) => id));
  const others = known.filter(({ id, invoice_id }) => invoice_id !== null && !moved.has(id) && changed.has(id));
  const orphaned = others.filter((row) => changed.get(row.id) === null).flatMap((row) => row.invoice_id ?? []);
  return { changed: [...changed.keys()], orphaned: [...new Set(orphaned)] };
}

const transferKey = (txId: string, index: string) => `${txId} ${index}`;

/**
 * Leaves out transfers that are stored exactly as read: writing them again would lock their rows and change nothing.
 */
function notStored(
  known: readonly KnownRow[],
  renumberings: readonly Renumbering[],
  transfers: readonly StoredTransfer[],
): StoredTransfer[] {
  const numbers = new Map(renumberings.map(({ id, index }) => [id, index]));
  const rows = new Map(known.map((row) => [transferKey(row.tx_id, numbers.get(row.id) ?? row.index), row]));
  return transfers.filter(({ txId, index, to, units, blockHash }) => {
    const row = rows.get(transferKey(txId, index));
    return !(
      row?.standing === true &&
      row.block_hash === blockHash &&
      row.to_address === to &&
      BigInt(row.units) === units
    );
  });
}

/** Inserts or updates transfers; returns the ids of new or changed rows with the invoice that each is attached to. */
async function upsertRows(
  tx: Tx,
  network: string,
  transfers: readonly StoredTransfer[],
  seenAt: Date,
  { evidence: { by, how }, readQuoted }: { evidence: Evidence; readQuoted: ReadQuoted | undefined },
): Promise<Map<bigint, bigint | null>> {
  if (transfers.length === 0) return new Map();
  const quoted = transfers.map((one) => (one.references ? undefined : readQuoted?.(one)));
  const { rows } = await sql<{ id: bigint; invoice_id: bigint | null }>`
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      reference_keys, read_by, read_how, quote_id, invoice_id)
    select ${network}, t.tx_id, t.index, t.token, t.from_address, t.address, t.units, t.height, t.block_hash, t.block_time, ${seenAt},
      string_to_array(t.keys, ' '), t.read_by, ${how}, o.quote_id, o.invoice_id
    from (select *, to_timestamp(time) as block_time from ${unnestRows(transfers, 't', {
      tx_id: ['text', (one) => one.txId],
      index: ['text', (one) => one.index],
      token: ['text', (one) => one.token],
      from_address: ['text', (one) => one.from],
      address: ['text', (one) => one.to],
      units: ['numeric', (one) => one.units],
      height: ['bigint', (one) => one.height],
      block_hash: ['text', (one) => one.blockHash],
      time: ['bigint', (one) => one.blockTime],
      keys: ['text', ({ references = [] }) => (references.length > 0 ? references.join(' ') : null)],
      read_by: ['text', ({ shownBy }) => shownBy ?? by],
      display_units: ['bigint', (_one, place) => quoted[place]?.displayUnits ?? null],
      exact: ['boolean', (_one, place) => quoted[place]?.exact ?? false],
    })}) t left join lateral ${owningQuote(network)} o on t.exact
    order by t.tx_id, t.index
    on conflict (network, tx_id, index) do update set height = excluded.height, block_hash = excluded.block_hash,
      block_time = excluded.block_time, canonical = true, from_address = excluded.from_address,
      to_address = excluded.to_address, units = excluded.units, settled_tier = null, settled_hash = null,
      accepted_by = null, read_by = excluded.read_by, read_how = excluded.read_how, proven_by = null, proven_how = null, proven_at = null, named_by = null,
      quote_id = case when ${IS_OTHER} then null else transfers.quote_id end,
      invoice_id = case when ${IS_OTHER} then null else transfers.invoice_id end,
      attached_by = case when ${IS_OTHER} then null else transfers.attached_by end
    where not transfers.canonical or transfers.block_hash <> excluded.block_hash or ${IS_OTHER} or transfers.named_by is not null
    returning id, invoice_id`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.invoice_id]));
}

/** Records transfers of followed accounts, whose indexes have no numbers; returns ids of new or changed ones. */
export async function upsertTransfers(
  tx: Tx,
  network: string,
  transfers: readonly StoredTransfer[],
  seenAt: Date,
  by: string,
): Promise<bigint[]> {
  return (await recordTransfers(tx, network, transfers, seenAt, { by, how: 'account' })).changed;
}

type PlacedRow = {
  id: bigint;
  tx_id: string;
  index: string;
  to_address: string;
  units: string;
  height: bigint;
  block_hash: string;
  accepted_by: string | null;
  read_by: string | null;
  read_how: string | null;
  proven_at: Date | null;
  settled_tier: string | null;
  settled_hash: string | null;
};

/** A recorded transfer with its block and its evidence. */
export type PlacedTransfer = {
  id: bigint;
  txId: string;
  index: string;
  to: string;
  units: bigint;
  height: number;
  blockHash: string;
  /** Whether an operator accepted the transfer, so that no read needs to prove it. */
  accepted: boolean;
  /** Whether a receipt or a second read has proven the transfer. */
  proven: boolean;
  /** The tier that the transfer is marked as settled for in its present block; null without such a mark. */
  settledTier: string | null;
  readBy: string | null;
  readHow: string | null;
  /** How many transfers of the same content in the same transaction precede this one. */
  alikeBefore: number;
};

function selectPlaced(queries: Queries | Tx, network: string, above: number, upTo: number) {
  return (
    queries
      .selectFrom('transfers')
      .select(['id', 'tx_id', 'index', 'to_address', 'units', 'height', 'block_hash', 'accepted_by'])
      .select(['read_by', 'read_how', 'proven_at', 'settled_tier', 'settled_hash'])
      .where('network', '=', network)
      .where('height', '>', BigInt(above))
      .where('height', '<=', BigInt(upTo))
      .where('canonical', '=', true)
      // Named transfers are left out: no read of a range shows them, so no read can contradict them.
      .where('named_by', 'is', null)
  );
}

function placedOf(row: PlacedRow): Omit<PlacedTransfer, 'alikeBefore'> {
  return {
    id: row.id,
    txId: row.tx_id,
    index: row.index,
    to: row.to_address,
    units: BigInt(row.units),
    height: Number(row.height),
    blockHash: row.block_hash,
    accepted: row.accepted_by !== null,
    proven: row.proven_at !== null,
    settledTier: row.settled_hash === row.block_hash ? row.settled_tier : null,
    readBy: row.read_by,
    readHow: row.read_how,
  };
}

function withCopies(rows: readonly PlacedRow[]): PlacedTransfer[] {
  const placed = orderAlike(rows.map(placedOf));
  const alikeBefore = countAlikeBefore(placed);
  return placed.map((transfer) => Object.assign(transfer, { alikeBefore: alikeBefore.get(transfer) ?? 0 }));
}

/** Reads canonical transfers in a range of heights. */
export async function readTransfersBetween(
  queries: Queries | Tx,
  network: string,
  above: number,
  upTo: number,
): Promise<PlacedTransfer[]> {
  // Without the order by height, the planner might choose the index by receiver while the table is empty: the same plan
  // would later read all transfers of the network.
  const rows = await selectPlaced(queries, network, above, upTo).orderBy('height').execute();
  return withCopies(rows);
}

/** Reads canonical transfers to one followed account in a range of heights. */
export async function readTransfersOfAccount(
  queries: Queries | Tx,
  network: string,
  account: string,
  above: number,
  upTo: number,
): Promise<PlacedTransfer[]> {
  const rows = await selectPlaced(queries, network, above, upTo).where('to_address', '=', account).execute();
  return withCopies(rows);
}

/** Whether canonical transfers are recorded above a height. */
export async function hasTransfersAbove(queries: Queries, network: string, height: number): Promise<boolean> {
  const row = await queries
    .selectFrom('transfers')
    .select('id')
    .where('network', '=', network)
    .where('height', '>', BigInt(height))
    .where('canonical', '=', true)
    .orderBy('height')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Marks transfers as gone from the chain. */
export async function revertTransfers(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update transfers set canonical = false, settled_tier = null, settled_hash = null,
    accepted_by = null where id = any(${ids}::bigint[]) and canonical`.execute(tx);
}

/** Marks transfers above a height as gone from the chain; returns their ids. */
export async function revertTransfersAbove(tx: Tx, network: string, height: number): Promise<bigint[]> {
  const rows = await tx
    .updateTable('transfers')
    .set({ canonical: false, settled_tier: null, settled_hash: null, accepted_by: null })
    .where('network', '=', network)
    .where('height', '>', BigInt(height))
    .where('canonical', '=', true)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Reads the address at which a transfer arrived. */
export async function readReceiver(tx: Tx, network: string, txId: string, index: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('transfers')
    .select('to_address')
    .where('network', '=', network)
    .where('tx_id', '=', txId)
    .where('index', '=', index)
    .executeTakeFirst();
  return row?.to_address;
}
