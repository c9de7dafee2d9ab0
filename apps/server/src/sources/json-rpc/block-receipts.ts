import { z } from 'zod';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeLogs } from './evm-decode.ts';

/** Receipts of whole blocks, which nodes keep with the block, independent of the log index. */

const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const receiptsSchema = z.array(z.object({ transactionHash: hex, blockHash: hex, logs: z.array(z.unknown()) }));
const listSchema = z.object({ transactions: z.array(z.union([hex, z.object({ hash: hex })])) });

/** Transaction ids in a raw block, which has them whole or by id. */
export function txIdsOf(rawBlock: unknown): string[] {
  const parsed = listSchema.safeParse(rawBlock);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered a block without its transactions.');
  return parsed.data.transactions.map((one) => (typeof one === 'string' ? one : one.hash));
}

/** Token transfers in a block's receipts. Every transaction must have one: a gap would hide payments. */
export function decodeBlockReceipts(
  raw: unknown,
  block: BlockRef,
  txIds: readonly string[],
  tokens: TokenByContract,
): ChainTransfer[] {
  // Null is not an empty list: the node has not executed the block yet.
  if (raw === null) throw new SourceError('not-yet', `The provider has no receipts of block ${block.height}.`);
  const parsed = receiptsSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered malformed receipts.');
  const listed = new Set(txIds);
  const told = new Set(parsed.data.map((receipt) => receipt.transactionHash));
  const each = parsed.data.length === listed.size && told.size === listed.size;
  if (!each || parsed.data.some(({ transactionHash }) => !listed.has(transactionHash)))
    throw new SourceError('inconsistent', `Block ${block.height} and its receipts name different transactions.`);
  const { transfers } = decodeLogs(
    parsed.data.flatMap(({ logs }) => logs),
    tokens,
  );
  const isElsewhere = ({ blockHash }: { blockHash: string }) => blockHash !== block.hash;
  if (parsed.data.some(isElsewhere) || transfers.some(isElsewhere))
    throw new SourceError('inconsistent', `A receipt of block ${block.height} belongs to another block.`);
  return transfers;
}
