import type { Heads } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef } from '../transfer.ts';
import { decodeBlock } from './evm-decode.ts';
import type { RpcAnswer } from './json-rpc.ts';
import { requireBlock } from './read-range.ts';
import { getBlock } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/** Reads the newest, the safe and the final block, as one provider knows them. */

function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer?.error) throw answer.error;
  return answer?.result ?? null;
}

/**
 * The `safe` block, or null: some clients refuse the tag and others lose it at a restart. Null delays only tiers that
 * use this tag.
 */
function decodeSafe(answer: RpcAnswer | undefined): BlockRef | null {
  if (!answer || answer.error) return null;
  const block = decodeBlock(answer.result);
  return block && block.height > 0 ? block : null;
}

const higher = (left: BlockRef, right: BlockRef | null) => (right && right.height > left.height ? right : left);

/**
 * Heads from raw answers. When two backends answered, the final block may lie above the newest one. Both blocks exist,
 * so the higher one counts as newest; lowering the final block instead would call a block final that no node calls
 * final.
 */
export function decodeHeads(latest: RpcAnswer | undefined, finalized: RpcAnswer | undefined, safe?: RpcAnswer) {
  const newest = requireBlock(resultOf(latest), 'latest');
  const final = requireBlock(resultOf(finalized), 'finalized');
  // Block 0 is not accepted as the final block: some nodes answer with block 0 as long as no block is final.
  if (final.height === 0) throw new SourceError('not-yet', 'The provider knows no final block.');
  const between = decodeSafe(safe);
  return { latest: higher(higher(newest, final), between), safe: between, finalized: final };
}

export async function readHeads({ each }: RpcProvider, tags: { safe: boolean }): Promise<Omit<Heads, 'by'>> {
  const calls = [getBlock('latest'), getBlock('finalized'), ...(tags.safe ? [getBlock('safe')] : [])];
  const [latest, finalized, safe] = await each(calls);
  return decodeHeads(latest, finalized, safe);
}
