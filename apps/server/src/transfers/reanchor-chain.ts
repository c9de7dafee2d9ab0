import { inTransaction } from '../db/transaction.ts';
import { OperatorError } from '../lib/errors.ts';
import type { ChainState } from './chain-store.ts';
import {
  countRewind,
  deleteBlocksAbove,
  insertBlocks,
  lockChain,
  lowerCoverage,
  moveCursor,
  unfreezeChain,
} from './chain-store.ts';
import type { Follower } from './follower.ts';
import { cutReadEnds } from './read-end-store.ts';
import { revertTransfersAbove } from './transfer-store.ts';
import type { Witnesses } from './witness.ts';

/** Whether the block that the cursor stands on is still in the chain. Witnesses that disagree decide nothing. */
export async function standsInChain(
  { source }: Follower,
  cursor: ChainState,
  { first, second }: Witnesses,
): Promise<boolean> {
  const has = async (name: string) => (await source.blockAt(cursor.height, { only: name }))?.hash === cursor.hash;
  const standing = await has(first);
  if ((await has(second)) !== standing)
    throw new OperatorError(`${first} and ${second} disagree on whether block ${cursor.height} is ours.`);
  return standing;
}

/**
 * Takes a chain up again that was reorganised below every header we hold: what stood above is undone, the cursor goes
 * to the chain's own block below `from`, on which both witnesses agree, and the reader goes on from there.
 */
export async function reanchorChain(
  follower: Follower,
  from: number,
  { first, second }: Witnesses,
): Promise<{ height: number; undone: number }> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const anchor = await source.blockAt(from - 1, { only: first });
  const twin = await source.blockAt(from - 1, { only: second });
  if (!anchor || anchor.hash !== twin?.hash) throw new OperatorError(`Nodes do not agree on block ${from - 1}.`);
  return inTransaction(database, async (tx) => {
    const chain = await lockChain(tx, network);
    if (!chain?.frozen) throw new OperatorError(`${network} is not frozen: its reader undoes a reorg by itself.`);
    if (chain.height < anchor.height) throw new OperatorError(`${network} was read up to ${chain.height} only.`);
    const undone = await revertTransfersAbove(tx, network, anchor.height);
    await deleteBlocksAbove(tx, network, -1);
    await insertBlocks(tx, network, [anchor]);
    await cutReadEnds(tx, network, anchor);
    await countRewind(tx, network);
    await lowerCoverage(tx, network, anchor);
    await moveCursor(tx, network, anchor);
    await unfreezeChain(tx, network);
    // Freezes it again while a completed invoice lacks its payment; reading on brings back what the chain still has.
    await follower.apply(tx, network, undone);
    return { height: anchor.height, undone: undone.length };
  });
}
