import type { Heads } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef } from '../transfer.ts';
import { decodeBlock } from './evm-decode.ts';
import type { RpcAnswer } from './json-rpc.ts';
import { requireBlock } from './read-range.ts';
import { getBlock } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/** The newest block, the final one and the safe one between them, each as a provider knows it. */

function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer?.error) throw answer.error;
  return answer?.result ?? null;
}

/** Some clients refuse to know this tag and others lose it at a restart: its tier waits, and nothing else does. */
function decodeSafe(answer: RpcAnswer | undefined): BlockRef | null {
  if (!answer || answer.error) return null;
  const block = decodeBlock(answer.result);
  return block && block.height > 0 ? block : null;
}

const higher = (left: BlockRef, right: BlockRef | null) => (right && right.height > left.height ? right : left);

/**
 * What is final lies above the newest block where two backends answered. Both blocks exist, so the higher one is the
 * newest that we know of. The other way round would be a claim: that the newest block of the one that is behind is final.
 */
export function decodeHeads(latest: RpcAnswer | undefined, finalized: RpcAnswer | undefined, safe?: RpcAnswer) {
  const newest = requireBlock(resultOf(latest), 'latest');
  const final = requireBlock(resultOf(finalized), 'finalized');
  // Where nothing is final yet some nodes say that the first block is.
  if (final.height === 0) throw new SourceError('not-yet', 'The provider knows no final block.');
  const between = decodeSafe(safe);
  return { latest: higher(higher(newest, final), between), safe: between, finalized: final };
}

export async function readHeads({ each }: RpcProvider, tags: { safe: boolean }): Promise<Omit<Heads, 'by'>> {
  const calls = [getBlock('latest'), getBlock('finalized'), ...(tags.safe ? [getBlock('safe')] : [])];
  const [latest, finalized, safe] = await each(calls);
  return decodeHeads(latest, finalized, safe);
}
