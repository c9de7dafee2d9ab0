import { RpcError } from '../json-rpc.ts';
import type { Ledger, LedgerBlock } from './ledger.ts';
import { blockAtOrBelow, blockTimeAt, FIRST_SLOT, lastBlock } from './ledger.ts';
import type { LedgerTransaction } from './transaction.ts';

/** What one backend of a node knows, and in which words it refuses what it does not: those of Agave. */

/** One backend: what it has not seen yet, and what it does not tell. */
export type NodeView = {
  ledger: Ledger;
  /** How many of the newest slots it has not seen yet. */
  lagSlots: number;
  /** What is written of transactions and of addresses is this far behind its own slot, which it keeps to all the same. */
  indexLagSlots: number;
  /** What is confirmed is final. */
  alpenglow: boolean;
  /** How many slots what it calls final lies behind its own; null for as many as the ledger says. */
  finalityLag: number | null;
  /** Balancers of some providers drop the parameter. */
  ignoresMinContextSlot: boolean;
  /** Slots whose time it does not know. */
  untimed: ReadonlySet<number>;
  genesisHash: string;
  /** Below this slot it has thrown everything away. */
  firstAvailable: number;
  /** Transactions that it lists and cannot give. */
  withheld: ReadonlySet<string>;
  /** Transactions that it gives in a form that nobody can read. */
  garbled: ReadonlySet<string>;
  /** Transactions that it tells as of another version than they are. */
  versions: ReadonlyMap<string, number>;
  /** Nodes before Agave 3.1: a page that goes on from an unknown signature is empty instead of an error. */
  forgetsSilently: boolean;
  /** What it does not hold itself cannot be asked for now. */
  storageUnreachable: boolean;
};

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export type Config = {
  commitment?: Commitment;
  minContextSlot?: number;
  limit?: number;
  before?: string;
  until?: string;
  encoding?: string;
  maxSupportedTransactionVersion?: number;
  dataSlice?: { offset: number; length: number };
  transactionDetails?: 'full' | 'signatures' | 'none';
};
export const CODES = {
  invalidParams: -32_602,
  methodNotFound: -32_601,
  cleanedUp: -32_001,
  notAvailable: -32_004,
  skipped: -32_007,
  storageSkipped: -32_009,
  statusNotYet: -32_014,
  unsupportedVersion: -32_015,
  minContextSlot: -32_016,
  storageUnreachable: -32_019,
  filterNotFound: -32_020,
};

export function headSlot(view: NodeView, commitment: Commitment): number {
  const { ledger, lagSlots, alpenglow, finalityLag } = view;
  const last = (lastBlock(ledger)?.slot ?? 0) - lagSlots;
  if (commitment === 'processed') return ledger.slot - lagSlots;
  const final = alpenglow ? last : last - (finalityLag ?? ledger.finalityLag);
  return blockAtOrBelow(ledger, commitment === 'confirmed' ? last : final)?.slot ?? 0;
}

/** Up to where it has written what transactions did, and whom they named. */
export const indexedTo = (view: NodeView) => headSlot(view, 'confirmed') - view.indexLagSlots;

export const headOf = (view: NodeView, config: Config) => headSlot(view, config.commitment ?? 'finalized');

export function requireContext(view: NodeView, config: Config): void {
  const head = headOf(view, config);
  if (view.ignoresMinContextSlot || (config.minContextSlot ?? 0) <= head) return;
  throw new RpcError(CODES.minContextSlot, 'Minimum context slot has not been reached');
}

export const contextOf = (view: NodeView, config: Config) => ({ apiVersion: '3.0.0', slot: headOf(view, config) });
export const timeOf = (view: NodeView, slot: number) =>
  view.untimed.has(slot) ? null : (blockTimeAt(view.ledger, slot) ?? null);

/** In the order in which Agave looks: what is written, what was thrown away, what never was. */
export function requireSlot(view: NodeView, slot: number, config: Config): void {
  const final = slot <= headSlot(view, 'finalized');
  const there = blockTimeAt(view.ledger, slot) !== undefined;
  if (slot > headOf(view, config) || (!final && !there))
    throw new RpcError(CODES.notAvailable, `Block not available for slot ${slot}`);
  if (slot > indexedTo(view)) throw new RpcError(CODES.statusNotYet, `Block status not yet available for slot ${slot}`);
  if (slot < view.firstAvailable) {
    const text = `Block ${slot} cleaned up, does not exist on node. First available block: ${view.firstAvailable}`;
    throw new RpcError(CODES.cleanedUp, text);
  }
  if (slot < FIRST_SLOT && view.storageUnreachable) throw storageUnreachable();
  if (there) return;
  if (slot < FIRST_SLOT)
    throw new RpcError(CODES.storageSkipped, `Slot ${slot} was skipped, or missing in long-term storage`);
  throw new RpcError(CODES.skipped, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
}

export function storageUnreachable(): RpcError {
  return new RpcError(CODES.storageUnreachable, 'Failed to query long-term storage; please try again');
}

/** A block of the history before everything that was executed holds nothing. */
export function blockAt(view: NodeView, slot: number): LedgerBlock {
  const time = blockTimeAt(view.ledger, slot) ?? 0;
  const empty = { height: slot, hash: `history${slot}`, previousHash: '', transactions: [] };
  return view.ledger.blocks.get(slot) ?? { ...empty, slot, parentSlot: slot - 1, time };
}

export function visible(view: NodeView, signature: string, config: Config): LedgerTransaction | undefined {
  const found = view.ledger.bySignature.get(signature);
  const newest = Math.min(headOf(view, config), indexedTo(view));
  return found && found.slot <= newest && found.slot >= view.firstAvailable ? found : undefined;
}

/** Where a list goes on from or to. */
export function requireMark(
  view: NodeView,
  signature: string | undefined,
  config: Config,
): LedgerTransaction | undefined {
  const found = signature === undefined ? undefined : visible(view, signature, config);
  if (signature === undefined || found || view.forgetsSilently) return found;
  throw new RpcError(CODES.filterNotFound, `Transaction ${signature} not found`);
}
