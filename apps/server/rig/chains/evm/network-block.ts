import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import type { NetworkProfile, OwnTransaction } from '../../../src/networks/profile.ts';
import { bloomOf, EMPTY_BLOOM } from './bloom.ts';

/**
 * A block as a network's node shows it. Its payments ran in a real EVM; transactions of the network's own types and
 * traffic of strangers are added around them, and as many empty blocks in between as the network makes.
 */

export type RawLog = { address: Hex; topics: Hex[]; data: Hex };
export type RawTransaction = Record<string, unknown> & { hash: Hex; type: Hex; from: Hex };
export type RawReceipt = Record<string, unknown> & { transactionHash: Hex; status: Hex; logs: RawLog[] };

/** A transaction with its receipt. */
export type Entry = { transaction: RawTransaction; receipt: RawReceipt };

/**
 * Traffic of strangers in a block: a number of transfers of a token, and a transaction with the given number of bytes
 * of data.
 */
export type Traffic = { token: Hex; transfers: number; inputBytes: number };

export type NodeBlock = {
  height: number;
  hash: Hex;
  parentHash: Hex;
  /** Block time in milliseconds; headers show whole seconds. */
  timeMs: number;
  /** Number of the real node's block that holds the payments; null where the block has no payments. */
  realNumber: number | null;
  paid: readonly Entry[];
  traffic: Traffic | null;
  /** Whether the block holds a transaction of an unknown type, without receiver and value. */
  strange: boolean;
};

export type NodeLog = RawLog & {
  block: NodeBlock;
  transactionHash: Hex;
  transactionIndex: number;
  logIndex: number;
  /** Number of the log within its transaction. */
  place: number;
};

export const toHex = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/**
 * Input of made-up token transfers: the selector of `transfer`. Without input, the transaction would look like a
 * transfer of zero coins, which Tron does not have.
 */
const TRANSFER_CALL: Hex = '0xa9059cbb';
const ZERO: Hex = `0x${'00'.repeat(20)}`;
const WORD_DIGITS = 64;

export function digestOf(...parts: readonly (string | number)[]): Hex {
  return `0x${createHash('sha256').update(parts.join(':')).digest('hex')}`;
}

export const wordOf = (value: Hex | bigint): Hex =>
  `0x${(typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(WORD_DIGITS, '0').toLowerCase()}`;

export const transferLog = (token: Hex, from: Hex, to: Hex, units: bigint): RawLog => ({
  address: token.toLowerCase() as Hex,
  topics: [TRANSFER_TOPIC, wordOf(from), wordOf(to)],
  data: wordOf(units),
});

/** Addresses of strangers: few, so that their bits in a bloom filter are computed once. */
const STRANGERS: readonly Hex[] = Array.from({ length: 8 }, (_unused, place) => toHex(0xdead_0000 + place)).map(
  (digits) => `0x${digits.slice(2).padStart(40, '0')}` as const,
);
const strangerAt = (place: number): Hex => STRANGERS[place % STRANGERS.length] ?? ZERO;

const receiptOf = (hash: Hex, logs: RawLog[] = []): RawReceipt => ({
  transactionHash: hash,
  status: '0x1',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: '0x0',
  contractAddress: null,
  logs,
});

export function madeUpEntry(hash: Hex, fields: Partial<RawTransaction>, logs: RawLog[] = []): Entry {
  const transaction = {
    hash,
    type: '0x2' as Hex,
    from: strangerAt(0),
    to: strangerAt(1),
    value: '0x0',
    input: '0x',
    gas: '0x5208',
    nonce: '0x0',
    ...fields,
  };
  return { transaction, receipt: { ...receiptOf(hash, logs), from: transaction.from, to: transaction['to'] ?? null } };
}

const inputs = new Map<number, Hex>();

function inputOf(bytes: number): Hex {
  const made = inputs.get(bytes) ?? (`0x${'ab'.repeat(bytes)}` as const);
  inputs.set(bytes, made);
  return made;
}

/** Transfers per transaction of strangers' traffic: many logs in few transactions. */
const TRANSFERS_TOGETHER = 100;

function trafficEntries({ hash }: NodeBlock, { token, transfers, inputBytes }: Traffic): Entry[] {
  const moves: Entry[] = [];
  for (let first = 0; first < transfers; first += TRANSFERS_TOGETHER) {
    const logs = Array.from({ length: Math.min(TRANSFERS_TOGETHER, transfers - first) }, (_unused, offset) => {
      const place = first + offset;
      return transferLog(token, strangerAt(place), strangerAt(place + 1), BigInt(1_000_000 + place));
    });
    const call = { from: strangerAt(first), to: token, input: TRANSFER_CALL };
    moves.push(madeUpEntry(digestOf('traffic', hash, first), call, logs));
  }
  if (inputBytes === 0) return moves;
  return [...moves, madeUpEntry(digestOf('data', hash), { input: inputOf(inputBytes) })];
}

/** How many blocks apart the network's own transactions are where the profile gives no number per block. */
const RARE_EVERY = 16;
const OWN_RECEIVERS: Record<string, Hex> = {
  '0x7e': '0x4200000000000000000000000000000000000015',
  '0x6a': '0x00000000000000000000000000000000000a4b05',
  '0x69': '0x000000000000000000000000000000000000006e',
  '0x7f': ZERO,
};

function ownEntries(block: NodeBlock, own: OwnTransaction, token: Hex): Entry[] {
  const count = own.perBlock ?? (block.height % RARE_EVERY === 0 ? 1 : 0);
  return Array.from({ length: count }, (_unused, place) => {
    const hash = digestOf('own', own.type, block.hash, place);
    const from = own.type === '0x7f' ? ZERO : strangerAt(place);
    const to = OWN_RECEIVERS[own.type] ?? strangerAt(place + 1);
    // Minted tokens of a bridge come from the zero address, with a log like any other.
    const logs = own.type === '0x7f' ? [transferLog(token, ZERO, strangerAt(2), 5_000_000n)] : [];
    const value = own.movesCoins ? toHex(10n ** 15n) : '0x0';
    return madeUpEntry(hash, { type: own.type, from, to, value, gasPrice: '0x0' }, logs);
  });
}

const STRANGE_TYPE: Hex = '0x7b';

function strangeEntry(block: NodeBlock): Entry {
  const hash = digestOf('strange', block.hash);
  const calls = [{ to: strangerAt(3), value: '0x1', data: '0x' }];
  const transaction: RawTransaction = { hash, type: STRANGE_TYPE, from: strangerAt(2), calls };
  return { transaction, receipt: { ...receiptOf(hash), from: strangerAt(2), phases: ['0x1'] } };
}

const entriesOfBlock = new WeakMap<NodeBlock, Entry[]>();

/** All transactions of a block, in order. */
export function entriesOf(block: NodeBlock, { ownTransactions }: NetworkProfile, token: Hex): Entry[] {
  const known = entriesOfBlock.get(block);
  if (known) return known;
  const own = (place: OwnTransaction['place']) =>
    ownTransactions.filter((one) => one.place === place).flatMap((one) => ownEntries(block, one, token));
  const entries = [
    ...own('opening'),
    ...block.paid,
    ...(block.traffic ? trafficEntries(block, block.traffic) : []),
    ...(block.strange ? [strangeEntry(block)] : []),
    ...own('any'),
    ...own('closing'),
  ];
  entriesOfBlock.set(block, entries);
  return entries;
}

const logsOfEntries = new WeakMap<readonly Entry[], NodeLog[]>();

/** Logs of a block, numbered as in its receipts. */
export function logsOf(block: NodeBlock, entries: readonly Entry[]): readonly NodeLog[] {
  const known = logsOfEntries.get(entries);
  if (known) return known;
  const logs: NodeLog[] = [];
  for (const [transactionIndex, { transaction, receipt }] of entries.entries()) {
    for (const [place, { address, topics, data }] of receipt.logs.entries()) {
      const logIndex = logs.length;
      logs.push({ address, topics, data, block, transactionHash: transaction.hash, transactionIndex, logIndex, place });
    }
  }
  logsOfEntries.set(entries, logs);
  return logs;
}

const blooms = new WeakMap<NodeBlock, Hex>();

export function bloomOfBlock(block: NodeBlock, entries: readonly Entry[]): Hex {
  if (entries.every(({ receipt }) => receipt.logs.length === 0)) return EMPTY_BLOOM;
  const known = blooms.get(block) ?? bloomOf(entries.flatMap(({ receipt }) => receipt.logs));
  blooms.set(block, known);
  return known;
}
