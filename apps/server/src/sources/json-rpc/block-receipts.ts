import { z } from 'zod';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeLogs } from './evm-decode.ts';

/** What became of all transactions of a block, by an index of its own: receipts lie beside the block, logs are searched. */

const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const receiptsSchema = z.array(z.object({ transactionHash: hex, blockHash: hex, logs: z.array(z.unknown()) }));
const listSchema = z.object({ transactions: z.array(z.union([hex, z.object({ hash: hex })])) });

/** The transactions that a block lists, whole or by their ids. */
export function txIdsOf(rawBlock: unknown): string[] {
  const parsed = listSchema.safeParse(rawBlock);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered a block without its transactions.');
  return parsed.data.transactions.map((one) => (typeof one === 'string' ? one : one.hash));
}

/** Token transfers by a block's receipts: one for each of its transactions, and no other, or what lacks would look unpaid. */
export function decodeBlockReceipts(
  raw: unknown,
  block: BlockRef,
  txIds: readonly string[],
  tokens: TokenByContract,
): ChainTransfer[] {
  // Null stands for a block that the node has not executed: its silence says nothing.
  if (raw === null) throw new SourceError('not-yet', `The provider has no receipts of block ${block.height}.`);
  const parsed = receiptsSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered malformed receipts.');
  const listed = new Set(txIds);
  const told = new Set(parsed.data.map((receipt) => receipt.transactionHash));
  const each = parsed.data.length === listed.size && told.size === listed.size;
  if (!each || parsed.data.some(({ transactionHash }) => !listed.has(transactionHash)))
    throw new SourceError('inconsistent', `Block ${block.height} and its receipts name different transactions.`);
  const transfers = decodeLogs(
    parsed.data.flatMap(({ logs }) => logs),
    tokens,
  );
  const isElsewhere = ({ blockHash }: { blockHash: string }) => blockHash !== block.hash;
  if (parsed.data.some(isElsewhere) || transfers.some(isElsewhere))
    throw new SourceError('inconsistent', `A receipt of block ${block.height} belongs to another block.`);
  return transfers;
}
