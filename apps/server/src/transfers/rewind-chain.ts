import { raiseAlarms } from '../audit/raise-alarm.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Heads } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { ChainState } from './chain-store.ts';
import {
  deleteBlocksAbove,
  freezeChain,
  lockCursor,
  lowerCoverage,
  moveCursor,
  readBlock,
  readBlocksDown,
} from './chain-store.ts';
import type { Follower } from './follower.ts';
import type { BlockRef } from './transfer.ts';
import { revertTransfersAbove } from './transfer-store.ts';

/** Finds where the chain left what we read, and undoes exactly what stood above. */

const MAX_WALK = 512;

export type Standing = 'same' | 'behind' | 'reorged';

/** Whether the node still has our blocks. A difference must be seen twice: one stale backend is no reorg. */
export async function compareWithNode(follower: Follower, cursor: ChainState, heads: Heads): Promise<Standing> {
  const { source, database } = follower;
  const probe = Math.min(cursor.height, heads.latest.height);
  const ours = probe === cursor.height ? cursor : await readBlock(database.queries, source.network.symbol, probe);
  if (!ours) return 'behind';
  const first = await source.blockAt(probe, 'first');
  if (!first) return 'behind';
  if (first.hash === ours.hash) return probe === cursor.height ? 'same' : 'behind';
  const second = await source.blockAt(probe, 'second');
  if (!second) return 'behind';
  if (second.hash === ours.hash) throw new SourceError('inconsistent', `Nodes disagree at ${probe}.`);
  return 'reorged';
}

async function findAncestor(follower: Follower, from: number): Promise<BlockRef | undefined> {
  const held = await readBlocksDown(follower.database.queries, follower.source.network.symbol, from, MAX_WALK);
  for (const block of held) {
    const theirs = await follower.source.blockAt(block.height, 'second');
    if (theirs?.hash === block.hash) return block;
  }
  return undefined;
}

/** Nothing that we hold is in the chain any more: no answer of ours can be right, so the network stops and a person is told. */
async function giveUp(follower: Follower): Promise<never> {
  const network = follower.source.network.symbol;
  const reason = `${network} was reorganised below every header that we hold.`;
  const at = new Date(follower.clock.nowMs());
  await inTransaction(follower.database, async (tx) => {
    if (!(await freezeChain(tx, network, at, reason))) return;
    await raiseAlarms(tx, at, [{ kind: 'deep-reorg', subject: `chain:${network}`, details: { reason } }]);
  });
  throw new Error(reason);
}

export async function rewindChain(follower: Follower, cursor: ChainState, heads: Heads): Promise<void> {
  const { database, source, log, failpoint } = follower;
  const network = source.network.symbol;
  const ancestor = await findAncestor(follower, Math.min(cursor.height, heads.latest.height));
  if (!ancestor) return giveUp(follower);
  await failpoint('rewind:before-commit');
  await inTransaction(database, async (tx) => {
    if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return;
    const reverted = await revertTransfersAbove(tx, network, ancestor.height);
    await deleteBlocksAbove(tx, network, ancestor.height);
    await lowerCoverage(tx, network, ancestor);
    await moveCursor(tx, network, ancestor);
    await follower.apply(tx, network, reverted);
    await failpoint('rewind:in-commit');
  });
  follower.counts.rewinds += 1;
  log.warn({ network, from: cursor.height, to: ancestor.height }, 'chain was reorganised');
}
