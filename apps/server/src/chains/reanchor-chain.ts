import { Refusal } from '../lib/refusal.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ChainState } from './chain-sql.ts';
import {
  countRewind,
  deleteBlocksAbove,
  endFreeze,
  insertBlocks,
  lockChain,
  lowerCoverage,
  moveCursor,
} from './chain-sql.ts';
import type { Following } from './follower.ts';
import { cutReadEnds } from './read-end-sql.ts';
import { revertTransfersAbove } from '../transfers/transfer-sql.ts';
import type { Witnesses } from './witness.ts';

/** Refuses when the witnesses disagree. */
export async function standsInChain(
  { source }: Following,
  cursor: ChainState,
  { first, second }: Witnesses,
): Promise<boolean> {
  const has = async (name: string) => (await source.blockAt(cursor.height, { only: name }))?.hash === cursor.hash;
  const standing = await has(first);
  if ((await has(second)) !== standing) throw new Refusal('BLOCK_DISPUTED', { first, second, height: cursor.height });
  return standing;
}

/**
 * Resumes a chain after a reorg below every stored header: transfers from `from` on are reverted, and the cursor moves
 * to the block below, on which both witnesses agree.
 */
export async function reanchorChain(
  follower: Following,
  from: number,
  { first, second }: Witnesses,
): Promise<{ height: number; undone: number }> {
  const { database, source } = follower;
  const network = source.network.id;
  const anchor = await source.blockAt(from - 1, { only: first });
  const twin = await source.blockAt(from - 1, { only: second });
  if (!anchor || anchor.hash !== twin?.hash) throw new Refusal('BLOCK_NOT_AGREED', { height: from - 1 });
  return inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain?.frozen) throw new Refusal('NETWORK_UNDOES_REORGS', { network });
    if (chain.height < anchor.height) throw new Refusal('NETWORK_READ_LESS', { network, height: chain.height });
    const undone = await revertTransfersAbove(tx, network, anchor.height);
    await deleteBlocksAbove(tx, network, -1);
    await insertBlocks(tx, network, [anchor]);
    await cutReadEnds(tx, network, anchor);
    await countRewind(tx, network);
    await lowerCoverage(tx, network, anchor);
    await moveCursor(tx, network, anchor);
    await endFreeze(tx, network);
    // Freezes the network again if a completed invoice lost its payment; further reads restore transfers that are still
    // in the chain.
    await follower.apply(tx, network, undone);
    return { height: anchor.height, undone: undone.length };
  });
}
