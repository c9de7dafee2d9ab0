import { RpcError } from '../json-rpc.ts';
import type { Ledger, LedgerBlock } from './ledger.ts';
import { blockAtOrBelow, blockTimeAt, FIRST_SLOT, lastBlock } from './ledger.ts';
import type { LedgerTransaction } from './transaction.ts';

/** View of one backend of a Solana node, and its refusals in Agave's words. */

/** One backend's state: what it has not seen yet, and what it does not show. */
export type NodeView = {
  ledger: Ledger;
  /** Number of the newest slots that the backend has not seen yet. */
  lagSlots: number;
  /** Lag of the index behind the backend's reported slot, in slots. */
  indexLagSlots: number;
  /** Whether confirmed blocks are immediately final (Alpenglow). */
  alpenglow: boolean;
  /** Distance of the backend's final slot behind its own newest slot; null for the ledger's distance. */
  finalityLag: number | null;
  /** Whether `minContextSlot` is ignored, as by the balancers of some providers. */
  ignoresMinContextSlot: boolean;
  /** Slots whose time the backend does not know. */
  untimed: ReadonlySet<number>;
  genesisHash: string;
  /** First slot that the backend still has; everything below is deleted. */
  firstAvailable: number;
  /** Signatures that the backend lists although it does not return their transactions. */
  withheld: ReadonlySet<string>;
  /** Signatures whose transactions the backend returns in an unreadable form. */
  garbled: ReadonlySet<string>;
  /** Signatures whose transactions the backend shows with another version. */
  versions: ReadonlyMap<string, number>;
  /** Whether a page that starts at an unknown signature is empty instead of an error, as in nodes before Agave 3.1. */
  forgetsSilently: boolean;
  /** Whether long-term storage cannot be reached. */
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

/** Newest slot whose transactions and addresses are in the index. */
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

/** Throws Agave's error for a slot that cannot be shown, checked in Agave's order: not yet there, deleted, skipped. */
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

/** Block of a slot; in simulated history it is empty. */
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

/** Transaction at which a page of signatures begins or ends. */
export function requireMark(
  view: NodeView,
  signature: string | undefined,
  config: Config,
): LedgerTransaction | undefined {
  const found = signature === undefined ? undefined : visible(view, signature, config);
  if (signature === undefined || found || view.forgetsSilently) return found;
  throw new RpcError(CODES.filterNotFound, `Transaction ${signature} not found`);
}
