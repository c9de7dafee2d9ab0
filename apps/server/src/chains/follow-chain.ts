import { tiersOf } from '../networks/finality.ts';
import { advanceHead } from './advance-head.ts';
import { forgetSilences } from './ask-others.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import type { Heads, SourceErrorKind } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from './chain-sql.ts';
import {
  insertBlocks,
  insertChain,
  insertMissingTiers,
  readChain,
  readCoverage,
  saveHead,
  takeLease,
} from './chain-sql.ts';
import { coverTier } from './cover-tier.ts';
import type { ChainMemory, Follower } from './follower.ts';
import { proveTransfers } from './prove-transfers.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';
import { raiseProviderAlarms } from './raise-provider-alarms.ts';
import { HEAD, shrinkRange } from './block-range.ts';
import { compareWithNode, rewindChain } from './rewind-chain.ts';
import { forgetDoubts } from './settle-differences.ts';
import { settledHeights } from './settled-heights.ts';
import { noteHead } from './past-heads.ts';
import { watchHeads } from './watch-heads.ts';

/** Follows a chain in two loops, so that a slow second read never delays a first read. */

/** After `worked` the next step follows immediately. */
export type Step = 'worked' | 'idle' | 'not-leased';

const LEASE_SECONDS = 15;
const REFUSED_MS = 60_000;

/** A new chain starts at its final block: nothing was quoted on it before. */
async function requireChain(follower: Follower): Promise<ChainState> {
  const { database, source, memory } = follower;
  const network = source.network;
  const present = await readChain(database.queries, network.id);
  if (present && memory.tiers) return present;
  if (!present) {
    await source.verify();
    const { finalized } = await source.heads('first');
    await insertBlocks(database.queries, network.id, [finalized]);
    await insertChain(database.queries, network.id, finalized, tiersOf(network.policy));
  }
  // New tiers of the policy get coverage once per process, while `memory.tiers` is not set.
  await insertMissingTiers(database.queries, network.id, tiersOf(network.policy));
  memory.tiers = (await readCoverage(database.queries, network.id)).map(({ tier }) => tier);
  if (source.providers.length < 2)
    await raiseChainAlarm(follower, 'single-provider', {
      provider: source.providers[0],
      addresses: source.addressCount ?? 1,
    });
  const chain = await readChain(database.queries, network.id);
  if (!chain) throw new Error(`${network.id} could not be started.`);
  return chain;
}

async function stepHead(follower: Follower): Promise<Step> {
  const { database, source, owner, memory } = follower;
  const network = source.network.id;
  const cursor = await requireChain(follower);
  if (!(await takeLease(database.queries, network, owner, LEASE_SECONDS))) return 'not-leased';
  // Only if a tier needs it: some clients refuse the `safe` tag.
  const heads = await source.heads('first', { safe: memory.tiers?.includes('safe') === true });
  memory.heads = heads;
  noteHead(memory, cursor.rewinds, heads.latest.height, follower.ageClock);
  await saveHead(database.queries, network, heads.latest, new Date(follower.clock.nowMs()));
  await watchHeads(follower, { latest: heads.latest.height, finalized: heads.finalized.height });
  const check = await compareWithNode(follower, cursor, heads);
  if (check === 'behind') return 'idle';
  if (check === 'reorged') {
    await rewindChain(follower, cursor, heads);
    return 'worked';
  }
  return (await advanceHead(follower, cursor, heads)) ? 'worked' : 'idle';
}

/** Refusals that raise an alarm when they last. */
const ALARM_OF_KIND: Partial<Record<SourceErrorKind, AlarmKind>> = {
  inconsistent: 'providers-disagree',
  unsupported: 'method-unsupported',
};

/** Raises an alarm when reads have failed for a minute for the same reason. `where` is a tier, or `head`. */
async function noteRefusal(follower: Follower, cause: SourceError, where: string): Promise<void> {
  const { clock } = follower;
  const { refusals } = follower.memory;
  const kind = ALARM_OF_KIND[cause.kind];
  if (kind === undefined) {
    refusals.delete(where);
    return;
  }
  const known = refusals.get(where);
  const since = known?.kind === cause.kind ? known.sinceMs : clock.nowMs();
  refusals.set(where, { kind: cause.kind, sinceMs: since });
  if (clock.nowMs() - since >= REFUSED_MS) await raiseChainAlarm(follower, kind, { reason: cause.message }, where);
}

function endRefusals(follower: Follower, where: string): void {
  follower.memory.refusals.delete(where);
  for (const kind of Object.values(ALARM_OF_KIND)) endChainAlarm(follower, kind, where);
}

/** A refused range shrinks and is retried immediately; after other refusals the loop waits. */
async function afterRefusal(follower: Follower, cause: unknown, tier?: string): Promise<Step> {
  if (!(cause instanceof SourceError)) throw cause;
  const where = tier ?? HEAD;
  await noteRefusal(follower, cause, where);
  const smaller = cause.kind === 'range' && shrinkRange(follower.memory.ranges, where, cause.suggestedRange);
  const network = follower.source.network.id;
  follower.log.warn({ network, tier, kind: cause.kind, reason: cause.message }, 'source did not answer');
  return smaller ? 'worked' : 'idle';
}

export async function followHead(follower: Follower): Promise<Step> {
  try {
    const step = await stepHead(follower);
    endRefusals(follower, HEAD);
    return step;
  } catch (cause) {
    return await afterRefusal(follower, cause);
  } finally {
    await raiseProviderAlarms(follower);
    follower.memory.headReads.count += 1;
  }
}

/** While this process proves nothing, silences, doubts and refusals may end unseen. */
function forgetUnseen(memory: ChainMemory): void {
  forgetSilences(memory);
  forgetDoubts(memory);
  memory.refusals.clear();
}

async function stepTiers(follower: Follower, heads: Heads): Promise<Step> {
  const { database, source, owner } = follower;
  const network = source.network.id;
  const chain = await readChain(database.queries, network);
  const isFrozen = !chain || chain.frozen;
  if (isFrozen || !(await takeLease(database.queries, network, owner, LEASE_SECONDS))) {
    forgetUnseen(follower.memory);
    return isFrozen ? 'idle' : 'not-leased';
  }
  const coverage = await readCoverage(database.queries, network);
  const settled = await settledHeights(follower, heads);
  let step: Step = 'idle';
  const note = (next: Step) => {
    if (next === 'worked') step = next;
  };
  // A failing tier does not stop the others.
  const attempt = async (tier: string | undefined, work: () => Promise<boolean>) => {
    try {
      if (await work()) note('worked');
      if (tier !== undefined) endRefusals(follower, tier);
    } catch (cause) {
      note(await afterRefusal(follower, cause, tier ?? coverage[0]?.tier));
    }
  };
  await attempt(undefined, () => proveTransfers(follower, chain, coverage, settled));
  for (const one of coverage) {
    const height = settled.get(one.tier);
    if (height !== undefined) await attempt(one.tier, () => coverTier(follower, chain, one, height));
  }
  return step;
}

/** Proves payments that are deep enough, and makes due second reads. */
export async function followTiers(follower: Follower): Promise<Step> {
  const { heads, headReads } = follower.memory;
  if (!heads || headReads.proved === headReads.count) return 'idle';
  const count = headReads.count;
  const step = await stepTiers(follower, heads);
  // There may be more to prove, so `headReads.proved` does not change.
  if (step !== 'worked') headReads.proved = count;
  return step;
}
