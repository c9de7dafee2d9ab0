import { z } from 'zod';
import type { Network } from '../../../networks/network.ts';
import { SourceError } from '../../chain-source.ts';
import type { InspectedTransaction } from '../../inspected-transaction.ts';
import { tokensByContract, TRANSFER_TOPIC } from './evm-decode.ts';
import { callBatch } from './json-rpc.ts';

const TX_ID = /^0x[0-9a-f]{64}$/i;
const TRANSFER_TOPICS = 3;
const ADDRESS_START = 26;
/** One word: what any other contract calls a transfer has no amount that we could read. */
const AMOUNT = /^0x[0-9a-f]{64}$/i;

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});
const transactionSchema = z.object({ to: z.string().nullable(), value: z.string() });
const blockSchema = z.object({ timestamp: z.string() });

function parsed<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (!result.success) throw new SourceError('inconsistent', 'The provider answered a malformed transaction.');
  return result.data;
}

/** Reads one transaction whole; null when it is unknown or not mined. */
export async function inspectEvmTransaction(
  network: Network,
  url: string,
  txId: string,
  timeoutMs: number,
): Promise<InspectedTransaction | null> {
  if (!TX_ID.test(txId)) return null;
  const [rawReceipt, rawTransaction, head] = await callBatch(
    url,
    [
      { method: 'eth_getTransactionReceipt', params: [txId] },
      { method: 'eth_getTransactionByHash', params: [txId] },
      { method: 'eth_blockNumber', params: [] },
    ],
    timeoutMs,
  );
  if (rawReceipt === null || rawTransaction === null) return null;
  const receipt = parsed(receiptSchema, rawReceipt);
  const transaction = parsed(transactionSchema, rawTransaction);
  const [rawBlock] = await callBatch(
    url,
    [{ method: 'eth_getBlockByNumber', params: [receipt.blockNumber, false] }],
    timeoutMs,
  );
  const tokens = tokensByContract(network);
  const height = Number(receipt.blockNumber);
  return {
    succeeded: receipt.status === '0x1',
    height,
    time: Number(parsed(blockSchema, rawBlock).timestamp),
    confirmations: Number(head) - height + 1,
    transfers: receipt.logs
      .filter(
        ({ topics, data }) => topics[0] === TRANSFER_TOPIC && topics.length === TRANSFER_TOPICS && AMOUNT.test(data),
      )
      .map((log) => ({
        token: tokens.get(log.address.toLowerCase())?.symbol ?? null,
        contract: log.address,
        to: `0x${(log.topics[2] ?? '').slice(ADDRESS_START)}`,
        units: BigInt(log.data),
      })),
    coin: { to: transaction.to, units: BigInt(transaction.value) },
  };
}
