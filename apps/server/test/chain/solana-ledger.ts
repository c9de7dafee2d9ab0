import type { MaybeEncodedAccount, Transaction } from '@solana/kit';
import { lamports } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { SYSTEM_PROGRAM } from './solana-instructions.ts';
import type { LedgerTransaction } from './solana-transaction.ts';
import { executeTransaction } from './solana-transaction.ts';

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
  finalityLag: number;
  /** From which slot times are counted on. */
  clock: { slot: number; time: number };
  blocks: Map<number, LedgerBlock>;
  /** Slots of blocks, ascending. */
  slots: number[];
  pending: LedgerTransaction[];
  byAddress: Map<string, LedgerTransaction[]>;
  bySignature: Map<string, LedgerTransaction>;
};

/** Below its own starting slot the machine runs no program. */
export const FIRST_SLOT = 447_552_100;
const HEIGHT_BEHIND_SLOT = 20_000_000;
const SLOTS_PER_SECOND = 2.5;
const NO_HASH = '11111111111111111111111111111111';

export type LedgerOptions = { timestamp: number; finalityLag: number };

export function createLedger({ timestamp, finalityLag }: LedgerOptions): Ledger {
  // No signatures, so that anybody can be made to pay; neither history nor block hashes, so that a transaction can be put
  // in again after a fork.
  const svm = new LiteSVM().withSigverify(false).withTransactionHistory(0n).withBlockhashCheck(false);
  svm.warpToSlot(BigInt(FIRST_SLOT));
  const ledger: Ledger = {
    svm,
    slot: FIRST_SLOT,
    finalityLag,
    clock: { slot: FIRST_SLOT, time: timestamp },
    blocks: new Map(),
    slots: [],
    pending: [],
    byAddress: new Map(),
    bySignature: new Map(),
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

function enterSlot(ledger: Ledger, slot: number): void {
  ledger.slot = slot;
  ledger.svm.warpToSlot(BigInt(slot));
  ledger.svm.expireBlockhash();
}

export function skipSlot(ledger: Ledger): void {
  enterSlot(ledger, ledger.slot + 1);
}

/** What is pending in a block of the current slot, at the given time or the one that the slot has by its pace. */
export function produceBlock(ledger: Ledger, atTime?: number): LedgerBlock {
  const parent = lastBlock(ledger);
  if (atTime !== undefined) ledger.clock = { slot: ledger.slot, time: atTime };
  const time = ledger.clock.time + Math.floor((ledger.slot - ledger.clock.slot) / SLOTS_PER_SECOND);
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

/** Executes at once; the block comes with `produceBlock`. */
export function submit(ledger: Ledger, transaction: Transaction): LedgerTransaction {
  const executed = executeTransaction(ledger.svm, transaction);
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
