import { tiersOf } from '../networks/finality.ts';
import { advanceHead } from './advance-head.ts';
import { SourceError } from './chain-source.ts';
import type { ChainState } from './chain-store.ts';
import {
  insertBlocks,
  insertChain,
  insertMissingTiers,
  readChain,
  readCoverage,
  saveHead,
  takeLease,
} from './chain-store.ts';
import { deepenTier } from './deepen-tier.ts';
import type { Follower } from './follower.ts';
import { growRange, shrinkRange } from './follower.ts';
import { compareWithNode, rewindChain } from './rewind-chain.ts';

/** One step of following a chain. `worked` asks to be called again at once. */
export type Step = 'worked' | 'idle' | 'not-leased';

const LEASE_SECONDS = 15;

/** A chain that was never followed starts at its final block: nothing was quoted before. */
async function requireChain(follower: Follower): Promise<ChainState> {
  const { database, source } = follower;
  const network = source.network;
  const present = await readChain(database.queries, network.symbol);
  if (present) {
    // Once per process: the watch is loaded by the first read.
    if (!follower.watch) await insertMissingTiers(database.queries, network.symbol, tiersOf(network.policy));
    return present;
  }
  await source.verify();
  const { finalized } = await source.heads('first');
  await insertBlocks(database.queries, network.symbol, [finalized]);
  await insertChain(database.queries, network.symbol, finalized, tiersOf(network.policy));
  const started = await readChain(database.queries, network.symbol);
  if (!started) throw new Error(`${network.symbol} could not be started.`);
  return started;
}

async function step(follower: Follower): Promise<Step> {
  const { database, source, owner } = follower;
  const network = source.network.symbol;
  const cursor = await requireChain(follower);
  if (!(await takeLease(database.queries, network, owner, LEASE_SECONDS))) return 'not-leased';
  const tiers = await readCoverage(database.queries, network);
  const heads = await source.heads('first', { safe: tiers.some(({ tier }) => tier === 'safe') });
  await saveHead(database.queries, network, heads.latest);
  const standing = await compareWithNode(follower, cursor, heads);
  if (standing === 'behind') return 'idle';
  if (standing === 'reorged') {
    await rewindChain(follower, cursor, heads);
    return 'worked';
  }
  let worked = await advanceHead(follower, cursor, heads);
  const moved = (await readChain(database.queries, network)) ?? cursor;
  if (!moved.frozen) {
    for (const coverage of await readCoverage(database.queries, network)) {
      worked = (await deepenTier(follower, moved, heads, coverage)) || worked;
    }
  }
  growRange(follower);
  return worked ? 'worked' : 'idle';
}

/** A source that cannot answer is asked again later; a range that it refuses is asked for in smaller pieces. */
export async function followChain(follower: Follower): Promise<Step> {
  try {
    return await step(follower);
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    // A single block that is too much will not be less at once.
    const smaller = cause.kind === 'range' && follower.range > 1;
    if (smaller) shrinkRange(follower, cause.suggestedRange);
    follower.log.warn(
      { network: follower.source.network.symbol, kind: cause.kind, reason: cause.message },
      'source did not answer',
    );
    return smaller ? 'worked' : 'idle';
  }
}
