import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { SourceError } from '../chain-source.ts';
import { TRANSFER_TOPIC } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock } from './rpc-call.ts';

/** Reads one transaction by JSON-RPC, on EVM chains and Tron. */

const TRANSFER_TOPICS = 3;
const ADDRESS_START = 26;
/** One word. Other logs with this topic have no readable amount. */
const AMOUNT = /^0x[0-9a-f]{64}$/i;

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  logs: z.array(z.unknown()),
});

const logSchema = z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() });
/** Logs decoded between other work of the process: a transaction may have thousands. */
const LOGS_AT_ONCE = 200;

type TransactionReceipt = {
  succeeded: boolean;
  height: number;
  /** Token transfers in the transaction's logs; addresses are in hex. */
  transfers: { contract: string; to: string; units: bigint }[];
  /** Raw, for decoding by each family. */
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

/** Reads the receipt first; null for unknown (visitors may invent ids) or unmined transactions. */
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
