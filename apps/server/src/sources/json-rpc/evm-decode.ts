import { z } from 'zod';
import type { Network, Token } from '../../networks/network.ts';
import { SourceError } from '../chain-source.ts';
import type { ChainReceipt } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import { NATIVE_INDEX } from '../transfer.ts';

/** Decodes raw JSON of EVM nodes. Not by a client library, which takes ten times as long per log. */

export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const blockSchema = z.object({ number: hex, hash: hex, parentHash: hex, timestamp: hex });

export function toHex(height: number): string {
  return `0x${height.toString(16)}`;
}

export function decodeBlock(raw: unknown): BlockRef | null {
  if (raw === null) return null;
  const parsed = blockSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered a malformed block.');
  const { number, hash, parentHash, timestamp } = parsed.data;
  return { height: Number(number), hash, parentHash, time: Number(timestamp) };
}

type RawLog = {
  address: string;
  topics: string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  transactionHash: string;
  logIndex: string;
};

export type TokenByContract = ReadonlyMap<string, Token>;

export function tokensByContract(network: Network): TokenByContract {
  return new Map(
    network.tokens.flatMap((token) => (token.contract === null ? [] : [[token.contract.toLowerCase(), token]])),
  );
}

const WORD_HEX = 66;
const HEX = /^0x[0-9a-f]+$/i;
const isHex = (value: unknown): value is string => typeof value === 'string' && HEX.test(value);

/** Without a schema, which would cost more than all other decoding. */
function isLog(raw: unknown): raw is RawLog {
  const log = raw as Partial<Record<keyof RawLog, unknown>> | null;
  return (
    typeof log === 'object' &&
    log !== null &&
    isHex(log.address) &&
    isHex(log.blockHash) &&
    isHex(log.transactionHash) &&
    isHex(log.blockNumber) &&
    isHex(log.logIndex) &&
    Array.isArray(log.topics) &&
    typeof log.data === 'string' &&
    (log.data.length !== WORD_HEX || HEX.test(log.data))
  );
}
const ADDRESS_START = 26;

/** ERC-20 transfers have three topics and one word of data; ERC-721 transfers have four topics. */
function isTransferLog(log: RawLog): boolean {
  return log.topics.length === 3 && log.topics[0] === TRANSFER_TOPIC && log.data.length === WORD_HEX;
}

function addressOf(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(ADDRESS_START)}`;
}

type DecodedLogs = { transfers: ChainTransfer[]; duplicates: number };

const isPlacedAlike = (left: RawLog, right: RawLog) =>
  Number(left.logIndex) === Number(right.logIndex) && Number(left.blockNumber) === Number(right.blockNumber);

function isSameLog(left: RawLog, right: RawLog): boolean {
  return (
    left.transactionHash === right.transactionHash &&
    left.address === right.address &&
    left.data === right.data &&
    left.topics.length === right.topics.length &&
    left.topics.every((topic, position) => topic === right.topics[position])
  );
}

/** Drops copies of logs by place and content: some clients repeat numbers. `logs` are sorted. */
function dropCopies(logs: readonly RawLog[]): RawLog[] {
  let firstAtPlace = 0;
  return logs.filter((log, position) => {
    const first = logs[firstAtPlace];
    if (!first || !isPlacedAlike(first, log)) firstAtPlace = position;
    for (let earlier = firstAtPlace; earlier < position; earlier += 1) {
      const one = logs[earlier];
      if (!one || !isSameLog(one, log)) continue;
      if (one.blockHash === log.blockHash) return false;
      throw new SourceError('inconsistent', `The provider lists a log of ${log.transactionHash} in two blocks.`);
    }
    return true;
  });
}

/** Transfers in chain order, indexed by token and number within the transaction, stable over reorgs. */
export function decodeLogs(raw: unknown, tokens: TokenByContract): DecodedLogs {
  if (!Array.isArray(raw)) throw new SourceError('inconsistent', 'The provider answered no list of logs.');
  if (!(raw as unknown[]).every(isLog)) throw new SourceError('inconsistent', 'The provider answered a malformed log.');
  const sorted = (raw as RawLog[]).toSorted(
    (left, right) =>
      Number(left.blockNumber) - Number(right.blockNumber) || Number(left.logIndex) - Number(right.logIndex),
  );
  const logs = dropCopies(sorted);
  const ordinals = new Map<string, number>();
  const transfers: ChainTransfer[] = [];
  for (const log of logs) {
    const token = tokens.get(log.address.toLowerCase());
    if (!token || !isTransferLog(log)) continue;
    const counted = `${log.transactionHash} ${token.symbol}`;
    const ordinal = ordinals.get(counted) ?? 0;
    ordinals.set(counted, ordinal + 1);
    transfers.push({
      token: token.symbol,
      txId: log.transactionHash,
      index: `${token.symbol}:${ordinal}`,
      from: addressOf(log.topics[1]),
      to: addressOf(log.topics[2]),
      units: BigInt(log.data),
      height: Number(log.blockNumber),
      blockHash: log.blockHash,
    });
  }
  return { transfers, duplicates: sorted.length - logs.length };
}

const receiptSchema = z.object({
  transactionHash: hex,
  blockHash: hex,
  blockNumber: hex,
  status: hex.optional(),
  logs: z.array(z.unknown()),
});

/** Null when the transaction is unknown or its success is not shown, which proves nothing. */
export function decodeReceipt(raw: unknown, tokens: TokenByContract): ChainReceipt | null {
  if (raw === null) return null;
  const parsed = receiptSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered a malformed receipt.');
  const { transactionHash, blockHash, blockNumber, status, logs } = parsed.data;
  if (status === undefined) return null;
  return {
    txId: transactionHash,
    blockHash,
    height: Number(blockNumber),
    succeeded: status === '0x1',
    transfers: decodeLogs(logs, tokens).transfers,
  };
}

type RawTransaction = { hash?: unknown; from?: unknown; to?: unknown; value?: unknown };

type NativeRead = {
  transfers: ChainTransfer[];
  /** Transactions without a `to` or `value` field, which are assumed to move no coins. */
  unknownShapes: number;
};

function malformedTransaction(): SourceError {
  return new SourceError('inconsistent', 'The provider answered a malformed transaction.');
}

/** Coins of all transactions in a block, including failed ones, which only receipts show. */
export function decodeNative(raw: unknown, block: BlockRef, token: Token): NativeRead {
  const { transactions } = raw as { transactions?: unknown };
  if (!Array.isArray(transactions)) throw malformedTransaction();
  const read: NativeRead = { transfers: [], unknownShapes: 0 };
  for (const transaction of transactions as (RawTransaction | null)[]) {
    if (typeof transaction !== 'object' || transaction === null || !isHex(transaction.hash))
      throw malformedTransaction();
    const { hash, from, to, value } = transaction;
    if (value === undefined || value === null || to === undefined) {
      read.unknownShapes += 1;
      continue;
    }
    if (!isHex(value) || !isHex(from) || !(to === null || isHex(to))) throw malformedTransaction();
    const units = BigInt(value);
    // A transaction without a receiver creates a contract.
    if (to === null || units === 0n) continue;
    const parties = { from: from.toLowerCase(), to: to.toLowerCase() };
    const coordinates = { txId: hash, index: NATIVE_INDEX, height: block.height, blockHash: block.hash };
    read.transfers.push({ token: token.symbol, ...coordinates, ...parties, units });
  }
  return read;
}
