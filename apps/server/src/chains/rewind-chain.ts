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
import type { Following } from './follower.ts';
import type { StoredHeader } from './header-sql.ts';
import { readStoredHeaders } from './header-sql.ts';
import { cutReadEnds } from './read-end-sql.ts';
import type { BlockRef } from '../sources/transfer.ts';
import { revertTransfersAbove } from '../transfers/transfer-sql.ts';

/** Reverts a reorg: exactly the transfers above the last stored header that is still in the chain. */

/** `behind`: the node is not there yet. `reorged`: it has another block there. */
type CursorCheck = 'same' | 'behind' | 'reorged';

/** A difference must be seen twice: one stale backend is no reorg. */
export async function compareWithNode(follower: Following, cursor: ChainState, heads: Heads): Promise<CursorCheck> {
  const { source, database } = follower;
  const probe = Math.min(cursor.height, heads.latest.height);
  const ours = probe === cursor.height ? cursor : await readBlock(database.queries, source.network.id, probe);
  if (!ours) return 'behind';
  const first = await source.blockAt(probe, 'first');
  if (!first) return 'behind';
  if (first.hash === ours.hash) return probe === cursor.height ? 'same' : 'behind';
  const second = await source.blockAt(probe, 'second');
  if (!second) return 'behind';
  if (second.hash === ours.hash) throw new SourceError('inconsistent', `Nodes disagree at ${probe}.`);
  return 'reorged';
}

/** The first position at which `holds` is true, if it is for all later ones: doubling, then halving. */
async function findFirst(count: number, holds: (position: number) => Promise<boolean>): Promise<number | undefined> {
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

async function findAncestor(follower: Following, from: number): Promise<BlockRef | undefined> {
  const { database, source } = follower;
  const network = source.network.id;
  const headers = await readStoredHeaders(database.queries, network, from);
  const stands = async ({ height, hash }: StoredHeader) => {
    const theirs = await source.blockAt(height, 'second');
    if (!theirs) throw new SourceError('not-yet', `The node has no block ${height} to compare with.`);
    return theirs.hash === hash;
  };
  const position = await findFirst(headers.length, (one) => stands(headers[one] ?? { height: 0, hash: '' }));
  const found = position === undefined ? undefined : headers[position];
  return found && readBlock(database.queries, network, found.height);
}

/** Freezes the network when no stored header is in the chain: no transfer is certain then. */
async function freezeAfterDeepReorg(follower: Following): Promise<never> {
  const network = follower.source.network.id;
  const reason = `${network} was reorganised below every header that we hold.`;
  const at = new Date(follower.clock.nowMs());
  await inTransaction(follower.database, async (tx) => {
    if (!(await freezeChain(tx, network, at, reason))) return;
    await raiseAlarms(tx, at, [{ kind: 'deep-reorg', subject: `chain:${network}`, details: { reason } }]);
  });
  throw new Error(reason);
}

export async function rewindChain(follower: Following, cursor: ChainState, heads: Heads): Promise<void> {
  const { database, source, log, failpoint } = follower;
  const network = source.network.id;
  const ancestor = await findAncestor(follower, Math.min(cursor.height, heads.latest.height));
  if (!ancestor) return freezeAfterDeepReorg(follower);
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
  follower.count('rewinds');
  log.warn({ network, from: cursor.height, to: ancestor.height }, 'chain was reorganised');
}
