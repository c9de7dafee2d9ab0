import type { Token } from '../../networks/network.ts';
import type { ChainRead, ReadRequest } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeBlock, decodeLogs, decodeNative, toHex, TRANSFER_TOPIC } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock, MAX_WHOLE_BLOCKS_PER_REQUEST, splitCalls } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/** Reads the logs of a range, and headers that link it to the chain. */

export type Wanted = { tokens: TokenByContract; coin: Token | undefined };

export type RangeRead = Pick<ChainRead, 'blocks' | 'transfers' | 'unknownShapes' | 'duplicateLogs'>;

/** A read with the newest raw blocks, to compare with receipts. */
export type LogsRead = RangeRead & { rawTail: ReadonlyMap<number, unknown> };

export const TAIL_BLOCKS = MAX_WHOLE_BLOCKS_PER_REQUEST;

export function requireBlock(raw: unknown, what: string): BlockRef {
  const block = decodeBlock(raw);
  if (!block) throw new SourceError('not-yet', `The provider has no ${what} block.`);
  return block;
}

export function requireBlockAt(raw: unknown, height: number): BlockRef {
  const block = requireBlock(raw, `${height}`);
  if (block.height !== height) throw new SourceError('inconsistent', `Block ${height} has another height.`);
  return block;
}

/** Throws unless neighbouring blocks are linked by hash. Blocks are ascending, from any backend. */
export function requireLinks(blocks: readonly BlockRef[]): void {
  for (const [position, block] of blocks.entries()) {
    const before = blocks[position - 1];
    if (before?.height === block.height - 1 && before.hash !== block.parentHash)
      throw new SourceError('inconsistent', `Block ${block.height} does not follow from the one before it.`);
  }
}

function heightsOf({ from, to, headers, native }: ReadRequest): number[] {
  const every = native || headers === 'all' ? 1 : headers === 'ends' ? to - from : headers.every;
  const heights =
    from === to ? [] : Array.from({ length: Math.ceil((to - from) / every) }, (_unused, step) => from + step * every);
  return [...heights, to];
}

/**
 * The calls of a range read. The last block comes with the logs, and again at the end of several batches, or a reorg
 * between logs and headers would be missed.
 */
function callsOf(request: ReadRequest, { tokens }: Wanted): RpcCall[] {
  const { from, to, native } = request;
  const address = [...tokens.keys()];
  const filter = { fromBlock: toHex(from), toBlock: toHex(to), address, topics: [TRANSFER_TOPIC] };
  const calls = [
    { method: 'eth_getLogs', params: [filter] },
    getBlock(toHex(to), native),
    ...heightsOf(request)
      .slice(0, -1)
      .map((height) => getBlock(toHex(height), native)),
  ];
  return splitCalls(calls).length === 1 ? calls : [...calls, getBlock(toHex(to))];
}

/** Throws when a log names another block than the header at its height: they are from different forks. */
function requireAgreement(blocks: ReadonlyMap<number, BlockRef>, transfers: readonly ChainTransfer[]): void {
  for (const { height, blockHash } of transfers) {
    const known = blocks.get(height);
    if (known && known.hash !== blockHash)
      throw new SourceError('inconsistent', `Logs and headers disagree at ${height}.`);
  }
}

function requireInside({ from, to }: ReadRequest, transfers: readonly ChainTransfer[]): void {
  const outside = transfers.find(({ height }) => height < from || height > to);
  if (outside) throw new SourceError('inconsistent', `Logs and headers disagree at ${outside.height}.`);
}

export function createCoins() {
  const transfers: ChainTransfer[] = [];
  let unknownShapes = 0;
  return {
    transfers,
    add: (rawBlock: unknown, block: BlockRef, coin: Token) => {
      const native = decodeNative(rawBlock, block, coin);
      transfers.push(...native.transfers);
      unknownShapes += native.unknownShapes;
    },
    counted: () => (unknownShapes > 0 ? { unknownShapes } : {}),
  };
}

const byHeight = (left: { height: number }, right: { height: number }) => left.height - right.height;

/** Blocks are decoded batch by batch: a long range of whole blocks would not fit into memory. */
export async function readRange(request: ReadRequest, wanted: Wanted, provider: RpcProvider): Promise<LogsRead> {
  const blocks = new Map<number, BlockRef>();
  const rawTail = new Map<number, unknown>();
  const coins = createCoins();
  let logs: ChainTransfer[] = [];
  let duplicateLogs = 0;
  function take({ method, params }: RpcCall, result: unknown): void {
    if (method === 'eth_getLogs') {
      const decoded = decodeLogs(result, wanted.tokens);
      logs = decoded.transfers;
      duplicateLogs = decoded.duplicates;
      return;
    }
    const block = requireBlockAt(result, Number(params[0]));
    const known = blocks.get(block.height);
    if (known && known.hash !== block.hash)
      throw new SourceError('inconsistent', `Block ${block.height} was replaced while the range was read.`);
    blocks.set(block.height, block);
    if (block.height > request.to - TAIL_BLOCKS) rawTail.set(block.height, result);
    if (!known && request.native && wanted.coin) coins.add(result, block, wanted.coin);
  }
  for (const part of splitCalls(callsOf(request, wanted))) {
    const results = await provider.call(part);
    for (const [position, call] of part.entries()) take(call, results[position]);
  }
  requireInside(request, logs);
  requireAgreement(blocks, logs);
  const ascending = [...blocks.values()].toSorted(byHeight);
  requireLinks(ascending);
  // Sorted by height, because the last block was read first.
  const transfers = [...logs, ...coins.transfers.toSorted(byHeight)];
  return {
    blocks: ascending,
    transfers,
    rawTail,
    ...coins.counted(),
    ...(duplicateLogs > 0 && { duplicateLogs }),
  };
}
