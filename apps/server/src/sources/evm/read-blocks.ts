import type { Network } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { ReadRequest } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import { decodeBlockReceipts, txIdsOf } from '../json-rpc/block-receipts.ts';
import { createBloomTest, isEmptyBloom } from './bloom.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { decodeLogs, toHex, TRANSFER_TOPIC } from '../json-rpc/evm-decode.ts';
import type { RangeRead, Wanted } from '../json-rpc/read-range.ts';
import { createCoins, requireBlockAt, requireLinks } from '../json-rpc/read-range.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import {
  getBlock,
  getBlockReceipts,
  MAX_CALLS_PER_REQUEST,
  MAX_WHOLE_BLOCKS_PER_REQUEST,
} from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';

/**
 * Reads a range by block, without the log index that answers range reads: by logs of one block hash where the client
 * takes these from receipts, otherwise by receipts. Each answer names its block, so backends may differ.
 */

type Question = {
  call: (block: BlockRef) => RpcCall;
  decode: (raw: unknown, block: BlockRef, rawBlock: unknown) => ChainTransfer[];
  blocksAtOnce: number;
};

function byHash(tokens: TokenByContract): Question {
  const filter = { address: [...tokens.keys()], topics: [TRANSFER_TOPIC] };
  return {
    call: ({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, ...filter }] }),
    decode: (raw, { height, hash }) => {
      if (raw === null) throw new SourceError('not-yet', `The provider does not know block ${height} by its hash.`);
      const { transfers } = decodeLogs(raw, tokens);
      if (transfers.some((transfer) => transfer.blockHash !== hash || transfer.height !== height))
        throw new SourceError('inconsistent', `Logs and headers disagree at ${height}.`);
      return transfers;
    },
    blocksAtOnce: MAX_CALLS_PER_REQUEST,
  };
}

function byReceipts(tokens: TokenByContract): Question {
  return {
    call: ({ height }) => getBlockReceipts(toHex(height)),
    decode: (raw, block, rawBlock) => decodeBlockReceipts(raw, block, txIdsOf(rawBlock), tokens),
    blocksAtOnce: MAX_WHOLE_BLOCKS_PER_REQUEST,
  };
}

/** Tests whether a block's bloom rules out token transfers. Some nodes leave blooms empty, which proves nothing. */
function createSilence(network: Network, tokens: TokenByContract): (rawBlock: unknown) => boolean {
  if (!profileOf(network).bloomReliable) return () => false;
  const provesAbsence = createBloomTest([...tokens.keys()]);
  return (rawBlock) => {
    const { logsBloom } = rawBlock as { logsBloom?: unknown };
    return provesAbsence(logsBloom) && !(isEmptyBloom(logsBloom) && txIdsOf(rawBlock).length > 0);
  };
}

/** The request of second reads for one block. */
export function blockQuestion(network: Network, tokens: TokenByContract): Question {
  return profileOf(network).logsByHash === 'receipts' ? byHash(tokens) : byReceipts(tokens);
}

export async function readBlocks(
  network: Network,
  { from, to, native }: ReadRequest,
  { tokens, coin }: Wanted,
  { call }: RpcProvider,
): Promise<RangeRead> {
  const question = blockQuestion(network, tokens);
  const isSilent = createSilence(network, tokens);
  const atOnce = native ? MAX_WHOLE_BLOCKS_PER_REQUEST : question.blocksAtOnce;
  const blocks: BlockRef[] = [];
  const transfers: ChainTransfer[] = [];
  const coins = createCoins();
  for (let start = from; start <= to; start += atOnce) {
    const heights = Array.from({ length: Math.min(atOnce, to - start + 1) }, (_unused, offset) => start + offset);
    const rawBlocks = await call(heights.map((height) => getBlock(toHex(height), native)));
    const part = rawBlocks.map((raw, position) => ({ raw, block: requireBlockAt(raw, start + position) }));
    const asked = part.filter(({ raw }) => !isSilent(raw));
    const answers = await call(asked.map(({ block }) => question.call(block)));
    for (const [position, { raw, block }] of asked.entries())
      transfers.push(...question.decode(answers[position], block, raw));
    for (const { raw, block } of part) {
      blocks.push(block);
      if (native && coin) coins.add(raw, block, coin);
    }
  }
  requireLinks(blocks);
  return { blocks, transfers: [...transfers, ...coins.transfers], ...coins.counted() };
}
