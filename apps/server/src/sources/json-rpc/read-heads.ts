import type { Heads } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef } from '../transfer.ts';
import { decodeBlock } from './evm-decode.ts';
import type { RpcAnswer } from './json-rpc.ts';
import { requireBlock } from './read-range.ts';
import { getBlock } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer?.error) throw answer.error;
  return answer?.result ?? null;
}

/** Null where clients refuse the tag or lose it at a restart, which delays only tiers with this tag. */
function decodeSafe(answer: RpcAnswer | undefined): BlockRef | null {
  if (!answer || answer.error) return null;
  const block = decodeBlock(answer.result);
  return block && block.height > 0 ? block : null;
}

const higher = (left: BlockRef, right: BlockRef | null) => (right && right.height > left.height ? right : left);

/**
 * With two backends, the final block may be above the newest. Both exist, so the higher one counts as newest; a lower
 * final block would be one that no node calls final.
 */
export function decodeHeads(latest: RpcAnswer | undefined, finalized: RpcAnswer | undefined, safe?: RpcAnswer) {
  const newest = requireBlock(resultOf(latest), 'latest');
  const final = requireBlock(resultOf(finalized), 'finalized');
  // Some nodes answer with block 0 as long as no block is final.
  if (final.height === 0) throw new SourceError('not-yet', 'The provider knows no final block.');
  const between = decodeSafe(safe);
  return { latest: higher(higher(newest, final), between), safe: between, finalized: final };
}

export async function readHeads({ each }: RpcProvider, tags: { safe: boolean }): Promise<Omit<Heads, 'by'>> {
  const calls = [getBlock('latest'), getBlock('finalized'), ...(tags.safe ? [getBlock('safe')] : [])];
  const [latest, finalized, safe] = await each(calls);
  return decodeHeads(latest, finalized, safe);
}
