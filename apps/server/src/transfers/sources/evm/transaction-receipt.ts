import { z } from 'zod';
import { SourceError } from '../../chain-source.ts';
import { TRANSFER_TOPIC } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';

/** What JSON-RPC tells of one transaction, on EVM chains and on Tron alike. */

const TRANSFER_TOPICS = 3;
const ADDRESS_START = 26;
/** One word: what any other contract calls a transfer has no amount that we could read. */
const AMOUNT = /^0x[0-9a-f]{64}$/i;

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

export type TransactionReceipt = {
  succeeded: boolean;
  /** As it was told, to ask for its block by. */
  blockNumber: string;
  height: number;
  confirmations: number;
  /** Contracts and receivers in hexadecimal. */
  transfers: { contract: string; to: string; units: bigint }[];
  /** The transaction itself, of which each family reads its own fields. */
  transaction: unknown;
};

export function parseTransaction<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (!result.success) throw new SourceError('inconsistent', 'The provider answered a malformed transaction.');
  return result.data;
}

function transfersOf(logs: z.infer<typeof receiptSchema>['logs']): TransactionReceipt['transfers'] {
  return logs
    .filter(
      ({ topics, data }) => topics[0] === TRANSFER_TOPIC && topics.length === TRANSFER_TOPICS && AMOUNT.test(data),
    )
    .map(({ address, topics, data }) => ({
      contract: address,
      to: `0x${(topics[2] ?? '').slice(ADDRESS_START)}`,
      units: BigInt(data),
    }));
}

/** Null when it is unknown or not mined. */
export async function readReceipt(
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>,
  txId: string,
): Promise<TransactionReceipt | null> {
  const [raw, transaction, head] = await call([
    { method: 'eth_getTransactionReceipt', params: [txId] },
    { method: 'eth_getTransactionByHash', params: [txId] },
    { method: 'eth_blockNumber', params: [] },
  ]);
  if (raw === null || transaction === null) return null;
  const { status, blockNumber, logs } = parseTransaction(receiptSchema, raw);
  const height = Number(blockNumber);
  return {
    succeeded: status === '0x1',
    blockNumber,
    height,
    confirmations: Number(head) - height + 1,
    transfers: transfersOf(logs),
    transaction,
  };
}
