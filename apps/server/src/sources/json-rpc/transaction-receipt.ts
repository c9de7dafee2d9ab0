import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { SourceError } from '../chain-source.ts';
import { TRANSFER_TOPIC } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock } from './rpc-call.ts';

/** What JSON-RPC tells of one transaction, on EVM chains and on Tron alike. */

const TRANSFER_TOPICS = 3;
const ADDRESS_START = 26;
/** One word: what any other contract calls a transfer has no amount that we could read. */
const AMOUNT = /^0x[0-9a-f]{64}$/i;

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  logs: z.array(z.unknown()),
});

const logSchema = z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() });
/** Anybody can make a transaction with thousands of logs: others are served between its parts. */
const LOGS_AT_ONCE = 200;

export type TransactionReceipt = {
  succeeded: boolean;
  height: number;
  /** Contracts and receivers in hexadecimal. */
  transfers: { contract: string; to: string; units: bigint }[];
  /** The transaction itself and its block, of which each family reads its own fields. */
  transaction: unknown;
  block: unknown;
};

export function parseTransaction<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (!result.success) throw new SourceError('inconsistent', 'The provider answered a malformed transaction.');
  return result.data;
}

function transfersIn(logs: readonly unknown[]): TransactionReceipt['transfers'] {
  return logs
    .map((log) => parseTransaction(logSchema, log))
    .filter(
      ({ topics, data }) => topics[0] === TRANSFER_TOPIC && topics.length === TRANSFER_TOPICS && AMOUNT.test(data),
    )
    .map(({ address, topics, data }) => ({
      contract: address,
      to: `0x${(topics[2] ?? '').slice(ADDRESS_START)}`,
      units: BigInt(data),
    }));
}

async function transfersOf(logs: readonly unknown[]): Promise<TransactionReceipt['transfers']> {
  const transfers: TransactionReceipt['transfers'] = [];
  for (let start = 0; start < logs.length; start += LOGS_AT_ONCE) {
    if (start > 0) await setImmediate();
    transfers.push(...transfersIn(logs.slice(start, start + LOGS_AT_ONCE)));
  }
  return transfers;
}

/** Null when it is unknown or not mined: that is asked first, because it is the answer to every invented hash. */
export async function readReceipt(
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>,
  txId: string,
): Promise<TransactionReceipt | null> {
  const [raw] = await call([{ method: 'eth_getTransactionReceipt', params: [txId] }]);
  if (raw === null) return null;
  const { status, blockNumber, logs } = parseTransaction(receiptSchema, raw);
  const [transaction, block] = await call([
    { method: 'eth_getTransactionByHash', params: [txId] },
    getBlock(blockNumber),
  ]);
  if (transaction === null) return null;
  return {
    succeeded: status === '0x1',
    height: Number(blockNumber),
    transfers: await transfersOf(logs),
    transaction,
    block,
  };
}
