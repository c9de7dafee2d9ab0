import type { Address, CompiledTransactionMessage, MaybeEncodedAccount, Transaction } from '@solana/kit';
import {
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import type { LiteSVM, TransactionMetadata } from 'litesvm';
import { FailedTransactionMetadata } from 'litesvm';
import { lookupAddresses, tokenAt } from './accounts.ts';
import { RpcError } from '../json-rpc.ts';
import { MEMO_PROGRAM } from './instructions.ts';

/**
 * Runs a transaction and records what a node would show of it. Balances before and after are read here, because the
 * machine does not keep them.
 */

export type LedgerTransaction = {
  signature: string;
  slot: number;
  version: 'legacy' | number;
  /** Accounts of the message, then those from lookup tables: writable, read-only. */
  keys: Address[];
  error: unknown;
  memo: string | null;
  wire: Uint8Array;
  meta: Record<string, unknown>;
  message: Record<string, unknown>;
  signatures: string[];
  /** Accounts before the transaction, to undo it. */
  before: MaybeEncodedAccount[];
};

const PREFLIGHT_FAILED = -32_002;
const LAMPORTS_PER_SIGNATURE = 5_000;

const base58 = getBase58Decoder();
type Loaded = { writable: Address[]; readonly: Address[] };

function lookups(message: CompiledTransactionMessage) {
  return 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
}

function loadAddresses(svm: LiteSVM, message: CompiledTransactionMessage): Loaded {
  const loaded: Loaded = { writable: [], readonly: [] };
  for (const lookup of lookups(message)) {
    const table = lookupAddresses(svm, lookup.lookupTableAddress);
    const at = (index: number) => table[index] as Address;
    loaded.writable.push(...lookup.writableIndexes.map(at));
    loaded.readonly.push(...lookup.readonlyIndexes.map(at));
  }
  return loaded;
}

function lamportsOf(svm: LiteSVM, keys: readonly Address[]): bigint[] {
  return keys.map((key) => svm.getBalance(key) ?? 0n);
}

function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, digits.length - decimals) + (fraction === '' ? '' : `.${fraction}`);
}

function tokenBalances(svm: LiteSVM, keys: readonly Address[]): unknown[] {
  return keys.flatMap((key, accountIndex) => {
    const token = tokenAt(svm, key);
    if (!token) return [];
    const { mint, owner, units, decimals, program } = token;
    const uiAmountString = decimalText(units, decimals);
    const uiTokenAmount = { amount: `${units}`, decimals, uiAmount: Number(uiAmountString), uiAmountString };
    return [{ accountIndex, mint, owner, programId: program, uiTokenAmount }];
  });
}

type CompiledInstruction = { programAddressIndex: number; accountIndices?: readonly number[]; data?: unknown };
const bytesOf = (data: unknown) => (data as Uint8Array | undefined) ?? new Uint8Array();

function messageJson(message: CompiledTransactionMessage, instructions: readonly CompiledInstruction[]) {
  const tables = lookups(message).map((lookup) => ({
    accountKey: lookup.lookupTableAddress,
    writableIndexes: lookup.writableIndexes,
    readonlyIndexes: lookup.readonlyIndexes,
  }));
  return {
    header: {
      numRequiredSignatures: message.header.numSignerAccounts,
      numReadonlySignedAccounts: message.header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: message.header.numReadonlyNonSignerAccounts,
    },
    accountKeys: message.staticAccounts,
    recentBlockhash: 'lifetimeToken' in message ? message.lifetimeToken : null,
    instructions: instructions.map((one) => ({
      programIdIndex: one.programAddressIndex,
      accounts: one.accountIndices ?? [],
      data: base58.decode(bytesOf(one.data)),
      stackHeight: 1,
    })),
    ...(message.version === 'legacy' ? {} : { addressTableLookups: tables }),
  };
}

/**
 * Marks a transaction as version 1. False for a transaction that cannot be of that version: a legacy one, or one that
 * takes accounts from lookup tables.
 */
export function tellAsVersion1(transaction: LedgerTransaction): boolean {
  const { addressTableLookups: tables = [], ...message } = transaction.message as { addressTableLookups?: unknown[] };
  if (transaction.version === 'legacy' || tables.length > 0) return false;
  transaction.version = 1;
  transaction.message = { ...message, transactionConfig: { computeUnitLimit: 200_000, priorityFeeLamports: 0 } };
  return true;
}

function innerInstructions(metadata: TransactionMetadata): unknown[] {
  return metadata.innerInstructions().flatMap((list, index) => {
    const instructions = list.map((one) => {
      const inner = one.instruction();
      return {
        programIdIndex: inner.programIdIndex(),
        accounts: [...inner.accounts()],
        data: base58.decode(inner.data()),
        stackHeight: one.stackHeight(),
      };
    });
    return instructions.length === 0 ? [] : [{ index, instructions }];
  });
}

/** Error as a node shows it, as far as payments can fail: an instruction's error by its position and code. */
function errorOf(failed: FailedTransactionMetadata): unknown {
  const error = failed.err() as { index?: number; err?: () => { code?: number } | number } | number;
  if (typeof error === 'number') return 'AccountNotFound';
  if (typeof error.err !== 'function') return { InsufficientFundsForRent: { account_index: 1 } };
  const inner = error.err();
  const code = typeof inner === 'number' ? inner : inner.code;
  return { InstructionError: [error.index ?? 0, { Custom: code ?? 0 }] };
}

function memoOf(keys: readonly Address[], instructions: readonly CompiledInstruction[]): string | null {
  const memos = instructions
    .filter((one) => keys[one.programAddressIndex] === MEMO_PROGRAM)
    .map((one) => `[${bytesOf(one.data).length}] ${Buffer.from(bytesOf(one.data)).toString()}`);
  return memos.length === 0 ? null : memos.join('; ');
}

export function decodeWire(wire: Uint8Array): Transaction {
  return getTransactionDecoder().decode(wire);
}

export function executeTransaction(svm: LiteSVM, transaction: Transaction): LedgerTransaction {
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const instructions = (message as unknown as { instructions: CompiledInstruction[] }).instructions;
  const loaded = loadAddresses(svm, message);
  const keys = [...message.staticAccounts, ...loaded.writable, ...loaded.readonly];
  const before = keys.map((key) => svm.getAccount(key));
  const pre = { preBalances: lamportsOf(svm, keys), preTokenBalances: tokenBalances(svm, keys) };
  const outcome = svm.sendTransaction(transaction);
  const failed = outcome instanceof FailedTransactionMetadata;
  const metadata = failed ? outcome.meta() : outcome;
  const error = failed ? errorOf(outcome) : null;
  const post = { postBalances: lamportsOf(svm, keys), postTokenBalances: tokenBalances(svm, keys) };
  // A transaction that did not even pay its fee is refused, because no leader would include it in a block.
  if (failed && pre.preBalances[0] === post.postBalances[0])
    throw new RpcError(PREFLIGHT_FAILED, `Transaction simulation failed: ${outcome.toString()}`);
  const signatures = Object.values(transaction.signatures).map((one) => base58.decode(one ?? new Uint8Array(64)));
  return {
    signature: signatures[0] ?? '',
    slot: 0,
    version: message.version,
    keys,
    error,
    memo: memoOf(keys, instructions),
    wire: new Uint8Array(getTransactionEncoder().encode(transaction)),
    signatures,
    message: messageJson(message, instructions),
    before,
    meta: {
      err: error,
      status: error === null ? { Ok: null } : { Err: error },
      fee: LAMPORTS_PER_SIGNATURE * message.header.numSignerAccounts,
      ...pre,
      ...post,
      innerInstructions: innerInstructions(metadata),
      logMessages: metadata.logs(),
      rewards: [],
      loadedAddresses: loaded,
      computeUnitsConsumed: metadata.computeUnitsConsumed(),
    },
  };
}
