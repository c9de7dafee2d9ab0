import type { ReadRequest } from '../../chain-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../../transfer.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeBlock, decodeLogs, toHex, TRANSFER_TOPIC } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock } from './rpc-call.ts';

/** Logs of a range and its headers in one batch: a node that is behind answers no logs, and then it has no header either. */

export function requireBlock(raw: unknown, what: string): BlockRef {
  const block = decodeBlock(raw);
  if (!block) throw new SourceError('inconsistent', `The provider has no ${what} block.`);
  return block;
}

function heightsOf(request: ReadRequest): number[] {
  const { from, to, headers, native } = request;
  const every = native || headers === 'all' ? 1 : headers === 'ends' ? to - from : headers.every;
  const heights =
    from === to ? [] : Array.from({ length: Math.ceil((to - from) / every) }, (_unused, step) => from + step * every);
  return [...heights, to];
}

/** A log whose block is not the one that the same answer shows at its height comes from another chain than the headers. */
function requireAgreement(
  blocks: readonly BlockRef[],
  transfers: readonly ChainTransfer[],
  request: ReadRequest,
): void {
  const hashes = new Map(blocks.map((block) => [block.height, block.hash]));
  for (const transfer of transfers) {
    const known = hashes.get(transfer.height);
    const outside = transfer.height < request.from || transfer.height > request.to;
    if (outside || (known !== undefined && known !== transfer.blockHash)) {
      throw new SourceError('inconsistent', `Logs and headers disagree at ${transfer.height}.`);
    }
  }
}

export type RangeRead = { blocks: BlockRef[]; rawBlocks: unknown[]; transfers: ChainTransfer[] };

export async function readRange(
  request: ReadRequest,
  tokens: TokenByContract,
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>,
): Promise<RangeRead> {
  const heights = heightsOf(request);
  const filter = {
    fromBlock: toHex(request.from),
    toBlock: toHex(request.to),
    address: [...tokens.keys()],
    topics: [TRANSFER_TOPIC],
  };
  const [logs, ...rawBlocks] = await call([
    { method: 'eth_getLogs', params: [filter] },
    ...heights.map((height) => getBlock(toHex(height), request.native)),
  ]);
  const blocks = rawBlocks.map((raw, position) => {
    const block = requireBlock(raw, `${heights[position]}`);
    if (block.height !== heights[position])
      throw new SourceError('inconsistent', `Block ${heights[position]} has another height.`);
    return block;
  });
  const transfers = decodeLogs(logs, tokens);
  requireAgreement(blocks, transfers, request);
  return { blocks, rawBlocks, transfers };
}
