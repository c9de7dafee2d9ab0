import type { MaybeEncodedAccount, Transaction } from '@solana/kit';
import { lamports } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { SYSTEM_PROGRAM } from './instructions.ts';
import type { LedgerTransaction } from './transaction.ts';
import { executeTransaction, tellAsVersion1 } from './transaction.ts';

/**
 * Blocks around a real virtual machine: the machine executes transactions; the ledger records their slots and can undo
 * them.
 */

export type LedgerBlock = {
  slot: number;
  parentSlot: number;
  height: number;
  hash: string;
  previousHash: string;
  /** Block time, in whole seconds. */
  time: number;
  transactions: LedgerTransaction[];
};

export type Ledger = {
  svm: LiteSVM;
  /** Slot that is being filled. */
  slot: number;
  blockSeconds: number;
  /** Distance of the final slot behind the newest, in slots. */
  finalityLag: number;
  /** Slot and time from which the times of later blocks are counted. */
  clock: { slot: number; time: number };
  /** Lag of block times behind their production, in seconds. */
  clockBehindSeconds: number;
  blocks: Map<number, LedgerBlock>;
  /** Slots with a block, ascending. */
  slots: number[];
  pending: LedgerTransaction[];
  byAddress: Map<string, LedgerTransaction[]>;
  bySignature: Map<string, LedgerTransaction>;
  /** Number of executed transactions. */
  executed: number;
};

/**
 * Slot at which the virtual machine starts: it runs nothing in earlier slots, which are simulated history without
 * transactions.
 */
export const FIRST_SLOT = 447_552_100;
const HISTORY_SECONDS = 172_800;
const HEIGHT_BEHIND_SLOT = 20_000_000;
/** How many slots apart skipped slots are, which have no block: on mainnet a few in a hundred are skipped. */
const SKIPPED_EVERY = 25;
const VERSION_1_EVERY = 3;
const NO_HASH = '11111111111111111111111111111111';

export type LedgerOptions = { timestamp: number; finalityLag: number; blockSeconds: number };

export function createLedger({ timestamp, finalityLag, blockSeconds }: LedgerOptions): Ledger {
  // The machine checks no signatures, so that any address can pay, and remembers no executed transactions, so that a
  // transaction that a fork removed can be executed again.
  const svm = new LiteSVM().withSigverify(false).withTransactionHistory(0n).withBlockhashCheck(false);
  svm.warpToSlot(BigInt(FIRST_SLOT));
  const ledger: Ledger = {
    svm,
    slot: FIRST_SLOT,
    blockSeconds,
    finalityLag,
    clock: { slot: FIRST_SLOT, time: timestamp },
    clockBehindSeconds: 0,
    blocks: new Map(),
    slots: [],
    pending: [],
    byAddress: new Map(),
    bySignature: new Map(),
    executed: 0,
  };
  // The chain starts with enough blocks that one of them is final.
  for (let block = 0; block <= finalityLag; block += 1) produceBlock(ledger);
  return ledger;
}

export function lastBlock(ledger: Ledger): LedgerBlock | undefined {
  return ledger.blocks.get(ledger.slots.at(-1) ?? -1);
}

/** Newest block at or below a slot. */
export function blockAtOrBelow(ledger: Ledger, slot: number): LedgerBlock | undefined {
  const found = ledger.slots.findLast((one) => one <= slot);
  return found === undefined ? undefined : ledger.blocks.get(found);
}

export function firstSlotOf({ blockSeconds }: Ledger): number {
  return FIRST_SLOT - Math.ceil(HISTORY_SECONDS / blockSeconds);
}

const isSkipped = (slot: number) => slot % SKIPPED_EVERY === 0;

/** Time of a block, also of simulated history; undefined for a skipped slot. */
export function blockTimeAt(ledger: Ledger, slot: number): number | undefined {
  if (slot >= FIRST_SLOT) return ledger.blocks.get(slot)?.time;
  if (isSkipped(slot)) return undefined;
  const first = ledger.blocks.get(ledger.slots[0] ?? FIRST_SLOT)?.time ?? 0;
  return first - Math.ceil((FIRST_SLOT - slot) * ledger.blockSeconds);
}

/** Slots with a block, ascending, with both ends included. */
export function slotsBetween(ledger: Ledger, from: number, to: number): number[] {
  const before = Math.max(0, Math.min(to, FIRST_SLOT - 1) - from + 1);
  const history = Array.from({ length: before }, (_unused, position) => from + position);
  const produced = ledger.slots.filter((slot) => slot >= from && slot <= to);
  return [...history.filter((slot) => !isSkipped(slot)), ...produced];
}

function enterSlot(ledger: Ledger, slot: number): void {
  ledger.slot = slot;
  ledger.svm.warpToSlot(BigInt(slot));
  ledger.svm.expireBlockhash();
}

export function skipSlot(ledger: Ledger): void {
  enterSlot(ledger, ledger.slot + 1);
}

/**
 * Puts pending transactions into a block of the current slot, or of the next slot that is not skipped, at the given
 * time or at the slot's time by the chain's pace. Block times never go back.
 */
export function produceBlock(ledger: Ledger, atTime?: number): LedgerBlock {
  const parent = lastBlock(ledger);
  while (isSkipped(ledger.slot)) skipSlot(ledger);
  if (atTime !== undefined) ledger.clock = { slot: ledger.slot, time: atTime };
  const paced = ledger.clock.time + Math.floor((ledger.slot - ledger.clock.slot) * ledger.blockSeconds);
  const time = Math.max(parent?.time ?? 0, paced - ledger.clockBehindSeconds);
  const block: LedgerBlock = {
    slot: ledger.slot,
    parentSlot: parent?.slot ?? ledger.slot - 1,
    height: (parent?.height ?? ledger.slot - HEIGHT_BEHIND_SLOT) + 1,
    hash: ledger.svm.latestBlockhash(),
    previousHash: parent?.hash ?? NO_HASH,
    time,
    transactions: ledger.pending,
  };
  for (const transaction of block.transactions) {
    transaction.slot = block.slot;
    ledger.bySignature.set(transaction.signature, transaction);
    for (const key of transaction.keys) listOf(ledger, key).push(transaction);
  }
  ledger.blocks.set(block.slot, block);
  ledger.slots.push(block.slot);
  ledger.pending = [];
  enterSlot(ledger, ledger.slot + 1);
  return block;
}

function listOf(ledger: Ledger, key: string): LedgerTransaction[] {
  const list = ledger.byAddress.get(key) ?? [];
  ledger.byAddress.set(key, list);
  return list;
}

/**
 * Executes a transaction; `produceBlock` puts it into a block. Every third transaction is shown as version 1, because
 * the machine cannot run that version; where the third cannot be (legacy, or with lookup tables), the next one is.
 */
export function submit(ledger: Ledger, transaction: Transaction): LedgerTransaction {
  const executed = executeTransaction(ledger.svm, transaction);
  ledger.executed += 1;
  if (ledger.executed % VERSION_1_EVERY === 0 && !tellAsVersion1(executed)) ledger.executed -= 1;
  ledger.pending.push(executed);
  return executed;
}

function putBack(svm: LiteSVM, account: MaybeEncodedAccount): void {
  if (account.exists) svm.setAccount(account);
  else {
    const empty = { data: new Uint8Array(), executable: false, lamports: lamports(0n), space: 0n };
    svm.setAccount({ ...empty, address: account.address, programAddress: SYSTEM_PROGRAM });
  }
}

function undo(ledger: Ledger, transaction: LedgerTransaction): void {
  for (const account of transaction.before) putBack(ledger.svm, account);
}

/**
 * Removes the newest blocks with all their effects, as when another fork wins; their slots count as skipped. Returns
 * their transactions, oldest first.
 */
export function dropBlocks(ledger: Ledger, count: number): LedgerTransaction[] {
  if (count > ledger.finalityLag) throw new Error('What is final is never dropped.');
  const dropped = [...ledger.pending];
  ledger.pending = [];
  for (const slot of ledger.slots.splice(-count).toReversed()) {
    dropped.unshift(...(ledger.blocks.get(slot)?.transactions ?? []));
    ledger.blocks.delete(slot);
  }
  for (const transaction of dropped.toReversed()) {
    undo(ledger, transaction);
    ledger.bySignature.delete(transaction.signature);
    for (const key of transaction.keys) {
      const list = listOf(ledger, key);
      if (list.includes(transaction)) list.splice(list.indexOf(transaction), 1);
    }
  }
  return dropped;
}
