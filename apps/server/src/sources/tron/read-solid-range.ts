import { z } from 'zod';
import type { Token } from '../../networks/network.ts';
import type { ChainRead } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { ChainTransfer } from '../transfer.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { requireLinks } from '../json-rpc/read-range.ts';
import type { WalletBlock } from './tron-decode.ts';
import { coinTransfers, decodeInfos, decodeWalletBlock, tokenTransfers, walletBlockRef } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';

/** Reads solidified blocks and their transaction infos, which must name the same transactions. */

const BLOCKS_PER_CALL = 10;

const blocksSchema = z.object({ block: z.array(z.unknown()).default([]) });

/** The solidified view silently omits blocks that it does not have yet, so missing ones throw. */
async function readBlocks(endpoint: TronEndpoint, from: number, to: number): Promise<WalletBlock[]> {
  const raw = await endpoint.ask('getblockbylimitnext', { startNum: from, endNum: to + 1 }, to - from + 1);
  const parsed = blocksSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', 'The provider answered a malformed list of blocks.');
  const byHeight = new Map<number, WalletBlock>();
  for (const one of parsed.data.block) {
    const block = decodeWalletBlock(one);
    if (block) byHeight.set(walletBlockRef(block).height, block);
  }
  return Array.from({ length: to - from + 1 }, (_unused, offset) => {
    const block = byHeight.get(from + offset);
    if (!block) throw new SourceError('not-yet', `The solidified view has no block ${from + offset}.`);
    return block;
  });
}

/** One request at a time, so that a reader that catches up stays below rate limits. */
export async function readSolidRange(
  endpoint: TronEndpoint,
  { from, to }: { from: number; to: number },
  tokens: TokenByContract,
  coin: Token | undefined,
): Promise<Omit<ChainRead, 'by'>> {
  const blocks: ChainRead['blocks'] = [];
  const transfers: ChainTransfer[] = [];
  for (let start = from; start <= to; start += BLOCKS_PER_CALL) {
    for (const block of await readBlocks(endpoint, start, Math.min(to, start + BLOCKS_PER_CALL - 1))) {
      const ref = walletBlockRef(block);
      const infos = decodeInfos(await endpoint.ask('gettransactioninfobyblocknum', { num: ref.height }), block);
      blocks.push(ref);
      transfers.push(...tokenTransfers(block, infos, tokens));
      if (coin) transfers.push(...coinTransfers(block, infos, coin));
    }
  }
  requireLinks(blocks);
  return { blocks, transfers };
}
