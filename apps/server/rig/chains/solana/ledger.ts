import type { MaybeEncodedAccount, Transaction } from '@solana/kit';
import { lamports } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { SYSTEM_PROGRAM } from './instructions.ts';
import type { LedgerTransaction } from './transaction.ts';
import { executeTransaction, tellAsVersion1 } from './transaction.ts';

/** Blocks over a real virtual machine: the machine executes, this remembers in which slot, and can take it back. */

export type LedgerBlock = {
  slot: number;
  parentSlot: number;
  height: number;
  hash: string;
  previousHash: string;
  /** In whole seconds. */
  time: number;
  transactions: LedgerTransaction[];
};

export type Ledger = {
  svm: LiteSVM;
  /** The slot that is being filled. */
  slot: number;
  blockSeconds: number;
  /** How many slots what is final lies behind the newest. */
  finalityLag: number;
  /** From which slot times are counted on. */
  clock: { slot: number; time: number };
  /** How far its times lie behind those that it is given. */
  clockBehindSeconds: number;
  blocks: Map<number, LedgerBlock>;
  /** Slots of blocks, ascending. */
  slots: number[];
  pending: LedgerTransaction[];
  byAddress: Map<string, LedgerTransaction[]>;
  bySignature: Map<string, LedgerTransaction>;
  /** How many transactions were executed. */
  executed: number;
};

/** Below its own starting slot the machine runs no program; the slots before it are history without transactions. */
export const FIRST_SLOT = 447_552_100;
const HISTORY_SECONDS = 172_800;
const HEIGHT_BEHIND_SLOT = 20_000_000;
/** On mainnet a few slots in a hundred have no block. */
const SKIPPED_EVERY = 25;
const VERSION_1_EVERY = 3;
const NO_HASH = '11111111111111111111111111111111';

export type LedgerOptions = { timestamp: number; finalityLag: number; blockSeconds: number };

export function createLedger({ timestamp, finalityLag, blockSeconds }: LedgerOptions): Ledger {
  // No signatures, so that anybody can be made to pay; neither history nor block hashes, so that a transaction can be put
  // in again after a fork.
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
  // Something must be final before anything happens.
  for (let block = 0; block <= finalityLag; block += 1) produceBlock(ledger);
  return ledger;
}

export function lastBlock(ledger: Ledger): LedgerBlock | undefined {
  return ledger.blocks.get(ledger.slots.at(-1) ?? -1);
}

/** The newest block at or below a slot. */
export function blockAtOrBelow(ledger: Ledger, slot: number): LedgerBlock | undefined {
  const found = ledger.slots.findLast((one) => one <= slot);
  return found === undefined ? undefined : ledger.blocks.get(found);
}

export function firstSlotOf({ blockSeconds }: Ledger): number {
  return FIRST_SLOT - Math.ceil(HISTORY_SECONDS / blockSeconds);
}

const isSkipped = (slot: number) => slot % SKIPPED_EVERY === 0;

/** The time of a block, also of one that lies before everything that was executed; undefined for a slot without one. */
export function blockTimeAt(ledger: Ledger, slot: number): number | undefined {
  if (slot >= FIRST_SLOT) return ledger.blocks.get(slot)?.time;
  if (isSkipped(slot)) return undefined;
  const first = ledger.blocks.get(ledger.slots[0] ?? FIRST_SLOT)?.time ?? 0;
  return first - Math.ceil((FIRST_SLOT - slot) * ledger.blockSeconds);
}

/** Slots with a block, ascending, both ends included. */
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
 * What is pending in a block of the current slot, or of the next that is not skipped, at the given time or the one that the
 * slot has by its pace. The chain's clock never goes back.
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
 * Executes at once; the block comes with `produceBlock`. The machine knows no transactions of version 1, so every third is
 * only told as one; one that takes accounts from lookup tables, which that version has not, leaves it to the next.
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
 * Another fork wins: the newest blocks are gone, with all their effects, and their slots count as skipped. Returns what
 * was in them, oldest first.
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
