import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Heads } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from './chain-sql.ts';
import {
  countRewind,
  deleteBlocksAbove,
  freezeChain,
  lockCursor,
  lowerCoverage,
  moveCursor,
  readBlock,
} from './chain-sql.ts';
import type { Follower } from './follower.ts';
import type { HeldHeader } from './header-sql.ts';
import { readHeldHeaders } from './header-sql.ts';
import { cutReadEnds } from './read-end-sql.ts';
import type { BlockRef } from '../sources/transfer.ts';
import { revertTransfersAbove } from '../transfers/transfer-sql.ts';

/** Finds where the chain left what we read, and undoes exactly what stood above. */

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

/**
 * The place of the first header, from the highest down, that holds. Below one that holds all do, so the search doubles its
 * step and then halves it: a reorg of minutes on a fast chain costs a few calls, not one for each block.
 */
export async function findFirst(
  count: number,
  holds: (place: number) => Promise<boolean>,
): Promise<number | undefined> {
  let above = -1;
  let below = 0;
  for (let step = 1; below < count && !(await holds(below)); step *= 2) {
    above = below;
    if (below === count - 1) return undefined;
    below = Math.min(count - 1, below + step);
  }
  if (below >= count) return undefined;
  while (below - above > 1) {
    const middle = Math.floor((above + below) / 2);
    if (await holds(middle)) below = middle;
    else above = middle;
  }
  return below;
}

async function findAncestor(follower: Follower, from: number): Promise<BlockRef | undefined> {
  const { database, source } = follower;
  const network = source.network.symbol;
  const held = await readHeldHeaders(database.queries, network, from);
  const stands = async ({ height, hash }: HeldHeader) => {
    const theirs = await source.blockAt(height, 'second');
    if (!theirs) throw new SourceError('not-yet', `The node has no block ${height} to compare with.`);
    return theirs.hash === hash;
  };
  const place = await findFirst(held.length, (one) => stands(held[one] ?? { height: 0, hash: '' }));
  const found = place === undefined ? undefined : held[place];
  return found && readBlock(database.queries, network, found.height);
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
    await cutReadEnds(tx, network, ancestor);
    await lowerCoverage(tx, network, ancestor);
    await moveCursor(tx, network, ancestor);
    await countRewind(tx, network);
    await follower.apply(tx, network, reverted);
    await failpoint('rewind:in-commit');
  });
  follower.counts.rewinds += 1;
  log.warn({ network, from: cursor.height, to: ancestor.height }, 'chain was reorganised');
}
