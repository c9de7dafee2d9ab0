import { z } from 'zod';
import type { Network } from '../../../networks/network.ts';
import { SourceError } from '../../chain-source.ts';
import type { InspectedTransaction } from '../../inspected-transaction.ts';
import { TRANSFER_TOPIC } from '../evm/evm-decode.ts';
import { TIMEOUT_MS } from '../evm/json-rpc.ts';
import { getBlock, requireBlock } from '../evm/read-range.ts';
import { coinMoveOf, decodeWalletBlock, tronAddress, tronBlock, tronTokens } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';
import { createTronEndpoint } from './tron-endpoint.ts';

const TX_ID = /^(?:0x)?([0-9a-f]{64})$/i;
const TRANSFER_TOPICS = 3;
const ADDRESS_START = 26;

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});
const transactionSchema = z.object({ to: z.string().nullable(), value: z.string(), input: z.string() });

function parsed<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (!result.success) throw new SourceError('inconsistent', 'The provider answered a malformed transaction.');
  return result.data;
}

type Coin = InspectedTransaction['coin'];
const NO_COIN: Coin = { to: null, units: 0n };

/** What of its value were coins; undefined while its block is not solidified, because until then nothing can tell. */
async function coinOfTransaction(
  endpoint: TronEndpoint,
  txId: string,
  height: number,
  transaction: z.infer<typeof transactionSchema>,
): Promise<Coin | undefined> {
  const units = BigInt(transaction.value);
  if (units === 0n) return NO_COIN;
  // Only calls and creations have input: what they carry goes to a contract.
  if (transaction.input !== '0x') return { to: transaction.to === null ? null : tronAddress(transaction.to), units };
  const block = decodeWalletBlock(await endpoint.ask('getblockbynum', { num: height }));
  const found = block?.transactions.find(({ txID }) => txID === txId);
  return found && (coinMoveOf(found) ?? NO_COIN);
}

/** Reads one transaction whole; null when it is unknown, not mined, or not yet to be told from what looks like it. */
export async function inspectTronTransaction(
  network: Network,
  url: string,
  txId: string,
  timeoutMs = TIMEOUT_MS,
): Promise<InspectedTransaction | null> {
  const digits = TX_ID.exec(txId)?.[1]?.toLowerCase();
  if (digits === undefined) return null;
  const endpoint = createTronEndpoint(url, timeoutMs);
  const [rawReceipt, rawTransaction, head] = await endpoint.call([
    { method: 'eth_getTransactionReceipt', params: [`0x${digits}`] },
    { method: 'eth_getTransactionByHash', params: [`0x${digits}`] },
    { method: 'eth_blockNumber', params: [] },
  ]);
  if (rawReceipt === null || rawTransaction === null) return null;
  const receipt = parsed(receiptSchema, rawReceipt);
  const height = Number(receipt.blockNumber);
  const coin = await coinOfTransaction(endpoint, digits, height, parsed(transactionSchema, rawTransaction));
  if (!coin) return null;
  const [rawBlock] = await endpoint.call([getBlock(receipt.blockNumber)]);
  const tokens = tronTokens(network);
  return {
    succeeded: receipt.status === '0x1',
    height,
    time: tronBlock(requireBlock(rawBlock, `${height}`)).time,
    confirmations: Number(head) - height + 1,
    transfers: receipt.logs
      .filter((log) => log.topics[0] === TRANSFER_TOPIC && log.topics.length === TRANSFER_TOPICS)
      .map((log) => ({
        token: tokens.get(log.address.toLowerCase())?.symbol ?? null,
        contract: tronAddress(log.address),
        to: tronAddress(`0x${(log.topics[2] ?? '').slice(ADDRESS_START)}`),
        units: BigInt(log.data),
      })),
    coin: { to: coin.to, units: coin.units },
  };
}
