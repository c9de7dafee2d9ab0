import type { ReadRequest } from '../../chain-source.ts';
import { SourceError } from '../../chain-source.ts';
import { profileOf } from '../../../networks/profile.ts';
import type { Network } from '../../../networks/network.ts';
import type { BlockRef, ChainTransfer } from '../../transfer.ts';
import { isLinked } from '../../transfer.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeLogs, decodeNative, decodeReceipt, toHex, TRANSFER_TOPIC } from './evm-decode.ts';
import type { RangeRead, Wanted } from './read-range.ts';
import { requireBlockAt } from './read-range.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/** A range block by block: by each block's hash where the client answers that from receipts, else by its receipts. */

const BLOCKS_PER_BATCH = 20;

function logsByHash(block: BlockRef, tokens: TokenByContract): RpcCall {
  return {
    method: 'eth_getLogs',
    params: [{ blockHash: block.hash, address: [...tokens.keys()], topics: [TRANSFER_TOPIC] }],
  };
}

function transfersOfReceipts(raw: unknown, block: BlockRef, tokens: TokenByContract): ChainTransfer[] {
  // Null stands for a block that the node has not executed: its silence says nothing.
  if (raw === null) throw new SourceError('not-yet', `The provider has no receipts of block ${block.height}.`);
  if (!Array.isArray(raw)) throw new SourceError('inconsistent', 'The provider answered no list of receipts.');
  return raw.flatMap((one) => {
    const receipt = decodeReceipt(one, tokens);
    if (receipt?.blockHash !== block.hash)
      throw new SourceError('inconsistent', `A receipt of block ${block.height} belongs to another block.`);
    return receipt.transfers;
  });
}

export async function readBlocks(
  network: Network,
  { from, to, native }: ReadRequest,
  { tokens, coin }: Wanted,
  { call }: RpcProvider,
): Promise<RangeRead> {
  const byReceipts = profileOf(network).logsByHash !== 'receipts';
  const read: RangeRead = { blocks: [], transfers: [] };
  for (let start = from; start <= to; start += BLOCKS_PER_BATCH) {
    const end = Math.min(to, start + BLOCKS_PER_BATCH - 1);
    const heights = Array.from({ length: end - start + 1 }, (_unused, offset) => start + offset);
    const rawBlocks = await call(heights.map((height) => getBlock(toHex(height), native)));
    const blocks = rawBlocks.map((raw, position) => requireBlockAt(raw, start + position));
    const answers = await call(
      blocks.map((block) =>
        byReceipts ? { method: 'eth_getBlockReceipts', params: [toHex(block.height)] } : logsByHash(block, tokens),
      ),
    );
    for (const [position, block] of blocks.entries()) {
      const raw = answers[position];
      const transfers = byReceipts ? transfersOfReceipts(raw, block, tokens) : decodeLogs(raw, tokens);
      if (transfers.some(({ blockHash }) => blockHash !== block.hash))
        throw new SourceError('inconsistent', `Logs and headers disagree at ${block.height}.`);
      read.transfers.push(...transfers);
      if (native && coin) read.transfers.push(...decodeNative(rawBlocks[position], block, coin));
    }
    read.blocks.push(...blocks);
  }
  const [first, ...rest] = read.blocks;
  if (!first || !isLinked(first, rest)) throw new SourceError('inconsistent', `Blocks from ${from} on are not linked.`);
  return read;
}
