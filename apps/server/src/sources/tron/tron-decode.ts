import { tronFromHex, tronToHex } from '@counterfoil/core/tron-address.ts';
import { z } from 'zod';
import type { Network, Token } from '../../networks/network.ts';
import type { ChainReceipt } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import { NATIVE_INDEX } from '../transfer.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { decodeLogs, toHex } from '../json-rpc/evm-decode.ts';

/** Decodes Tron's two protocols into one form: ids without `0x`, base58 addresses, seconds. */

/** By contract, as the twenty bytes of JSON-RPC and transaction infos. */
export function tronTokens(network: Network): TokenByContract {
  return new Map(
    network.tokens.flatMap((token) => (token.contract === null ? [] : [[tronToHex(token.contract), token]])),
  );
}

function malformed(what: string): SourceError {
  return new SourceError('inconsistent', `The provider answered a malformed ${what}.`);
}

const bare = (id: string) => id.replace(/^0x/, '').toLowerCase();

export function tronAddress(hex: string): string {
  const address = tronFromHex(hex);
  if (address === undefined) throw malformed('address');
  return address;
}

/** Larger times must be milliseconds by mistake, which would put a payment outside every quote's window. */
const LATEST_SECONDS = 100_000_000_000;

export function tronBlock(block: BlockRef): BlockRef {
  if (block.time >= LATEST_SECONDS) throw malformed('time');
  return { ...block, hash: bare(block.hash), parentHash: bare(block.parentHash) };
}

export function tronTransfer(transfer: ChainTransfer): ChainTransfer {
  return {
    ...transfer,
    txId: bare(transfer.txId),
    blockHash: bare(transfer.blockHash),
    from: tronAddress(transfer.from),
    to: tronAddress(transfer.to),
  };
}

export function tronReceipt(receipt: ChainReceipt): ChainReceipt {
  const { txId, blockHash, transfers } = receipt;
  return { ...receipt, txId: bare(txId), blockHash: bare(blockHash), transfers: transfers.map(tronTransfer) };
}

const id = z.string().regex(/^[0-9a-f]{64}$/);
const walletBlockSchema = z.object({
  blockID: id,
  block_header: z.object({
    raw_data: z.object({ number: z.int().positive(), timestamp: z.int().positive(), parentHash: id }),
  }),
  transactions: z
    .array(
      z.object({
        txID: id,
        ret: z.array(z.object({ contractRet: z.string().optional() })).optional(),
        raw_data: z.object({
          contract: z.array(z.object({ type: z.string().optional(), parameter: z.unknown() })).min(1),
        }),
      }),
    )
    .default([]),
});

export type WalletBlock = z.infer<typeof walletBlockSchema>;
type WalletTransaction = WalletBlock['transactions'][number];

/** Undefined for an empty object, which means that the node does not have the block. */
export function decodeWalletBlock(raw: unknown): WalletBlock | undefined {
  if (typeof raw === 'object' && raw !== null && Object.keys(raw).length === 0) return undefined;
  const parsed = walletBlockSchema.safeParse(raw);
  if (!parsed.success) throw malformed('block');
  return parsed.data;
}

const MILLISECONDS = 1000;

/** The id contains the height too; if they differ, the block is malformed. */
export function walletBlockRef({ blockID, block_header }: WalletBlock): BlockRef {
  const { number, timestamp, parentHash } = block_header.raw_data;
  if (Number.parseInt(blockID.slice(0, 16), 16) !== number) throw malformed('block');
  return { height: number, hash: blockID, parentHash, time: Math.floor(timestamp / MILLISECONDS) };
}

const infoSchema = z.object({
  id,
  blockNumber: z.int(),
  result: z.string().optional(),
  log: z
    .array(z.object({ address: z.string(), topics: z.array(z.string()).default([]), data: z.string().default('') }))
    .default([]),
});
const infosSchema = z.array(infoSchema);

type TransactionInfo = z.infer<typeof infoSchema>;

/** Exactly one info per transaction: a gap would hide payments. */
export function decodeInfos(raw: unknown, block: WalletBlock): TransactionInfo[] {
  const parsed = infosSchema.safeParse(raw);
  if (!parsed.success) throw malformed('list of transactions');
  const { number } = block.block_header.raw_data;
  const listed = new Set(block.transactions.map(({ txID }) => txID));
  const told = new Set(parsed.data.map((info) => info.id));
  const each = [block.transactions.length, parsed.data.length, told.size].every((size) => size === listed.size);
  if (!each || parsed.data.some((info) => !listed.has(info.id) || info.blockNumber !== number)) {
    throw new SourceError('inconsistent', `Block ${number} and its infos name different transactions.`);
  }
  return parsed.data;
}

const hasFailed = (info: TransactionInfo) => info.result === 'FAILED';

/** Decoded like the logs of JSON-RPC. */
export function tokenTransfers(
  block: WalletBlock,
  infos: readonly TransactionInfo[],
  tokens: TokenByContract,
): ChainTransfer[] {
  const { number } = block.block_header.raw_data;
  const logs = infos
    .filter((info) => !hasFailed(info))
    .flatMap((info) => info.log.map((log) => ({ ...log, transaction: info.id })));
  const raw = logs.map(({ address, topics, data, transaction }, position) => ({
    address: `0x${address}`,
    topics: topics.map((topic) => `0x${topic}`),
    data: `0x${data}`,
    blockNumber: toHex(number),
    blockHash: `0x${block.blockID}`,
    transactionHash: `0x${transaction}`,
    logIndex: toHex(position),
  }));
  return decodeLogs(raw, tokens).transfers.map(tronTransfer);
}

const coinSchema = z.object({
  value: z.object({ amount: z.number().positive(), owner_address: z.string(), to_address: z.string() }),
});

type CoinMove = { from: string; to: string; units: bigint };

/**
 * TRX that a transaction itself moves; only the contract type distinguishes it from TRC-10 tokens, votes and stakes.
 * Amounts above 2^53 sun are rounded, but no quote is near nine billion TRX.
 */
export function coinMoveOf({ raw_data }: Pick<WalletTransaction, 'raw_data'>): CoinMove | undefined {
  const [contract] = raw_data.contract;
  if (contract?.type !== 'TransferContract') return undefined;
  const parsed = coinSchema.safeParse(contract.parameter);
  if (!parsed.success) throw malformed('transfer of coins');
  const { amount, owner_address, to_address } = parsed.data.value;
  return { from: tronAddress(owner_address), to: tronAddress(to_address), units: BigInt(amount) };
}

export function coinTransfers(block: WalletBlock, infos: readonly TransactionInfo[], token: Token): ChainTransfer[] {
  const failed = new Set(infos.filter(hasFailed).map((info) => info.id));
  const { number: height } = block.block_header.raw_data;
  return block.transactions.flatMap((transaction) => {
    const move = coinMoveOf(transaction);
    if (!move) return [];
    const succeeded = transaction.ret?.[0]?.contractRet === 'SUCCESS';
    if (succeeded === failed.has(transaction.txID)) {
      throw new SourceError('inconsistent', `${transaction.txID} succeeded by one answer and failed by the other.`);
    }
    if (!succeeded) return [];
    const coordinates = {
      token: token.symbol,
      txId: transaction.txID,
      index: NATIVE_INDEX,
      height,
      blockHash: block.blockID,
    };
    return [{ ...coordinates, ...move }];
  });
}
