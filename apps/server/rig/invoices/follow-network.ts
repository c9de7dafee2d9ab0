import type { Database } from '../../src/db/database.ts';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { explainTransfers } from '../../src/invoices/explain-transfers.ts';
import type { Step } from '../../src/chains/follow-chain.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { mine } from '../chains/evm/reorg.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { settlingBlocks, chainOf } from './engine-fixture.ts';
import { NETWORKS } from '../chains/networks.ts';

/** Helpers that let time pass: mine blocks, follow chains, expire invoices and decide pending invoices. */

const MAX_STEPS = 500;

/** Mines blocks, the first at the engine's time and the others a second apart, and moves the clock accordingly. */
export async function mineNow(engine: EngineFixture, network: string, blocks = 1): Promise<void> {
  const head = await mine(chainOf(engine, network).anvil, blocks, {
    atTime: Math.floor(engine.clock.nowMs() / 1000),
    secondsBetween: 1,
  });
  engine.clock.advance(Math.max(0, (head.timestamp + 1) * 1000 - engine.clock.nowMs()));
}

/** Takes one step of both loops of a reader. */
export async function followChain(follower: Follower): Promise<Step> {
  const head = await followHead(follower);
  const tiers = await followTiers(follower);
  return tiers === 'worked' ? tiers : head;
}

/**
 * Makes a network's first reads old enough for second reads: database time cannot be moved, but the stored times of
 * reads can.
 */
export async function ageReads(database: Database, network: string): Promise<void> {
  await database.pool.query(`update chain_reads set read_at = read_at - interval '1 minute' where network = $1`, [
    network,
  ]);
}

async function followToEnd(network: string, follower: Follower): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if ((await followChain(follower)) === 'idle') return;
  }
  throw new Error(`${network} could not be followed to its end.`);
}

/** Follows a network until nothing is left to read; then makes the first reads old enough, and follows again. */
export async function follow(
  engine: EngineFixture,
  network: string,
  follower = chainOf(engine, network).follower,
): Promise<void> {
  await followToEnd(network, follower);
  await ageReads(engine.database, network);
  await followToEnd(network, follower);
  await explain(engine);
}

/** Gives every unmatched transfer its reason. */
export async function explain(engine: Pick<EngineFixture, 'as' | 'clock'>): Promise<void> {
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await explainTransfers({ database: engine.as('worker'), clock: engine.clock, networks: NETWORKS })) === 0)
      return;
  }
  throw new Error('Explaining does not end.');
}

/** Mines until pending payments have settled by the tier for small sums, and follows the chain up to there. */
export async function settle(engine: EngineFixture, network: string): Promise<void> {
  await mineNow(engine, network, settlingBlocks(chainOf(engine, network).follower.source.network));
  await follow(engine, network);
}

/** Mines one block of exactly this time, and moves the clock to this time if the clock is earlier. */
export async function mineAt(engine: EngineFixture, network: string, seconds: number): Promise<void> {
  await mine(chainOf(engine, network).anvil, 1, { atTime: seconds });
  engine.clock.advance(Math.max(0, seconds * 1000 - engine.clock.nowMs()));
}

export async function expire(engine: EngineFixture): Promise<void> {
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await expireDueInvoices({ database: engine.as('worker'), clock: engine.clock })) === 0) return;
  }
  throw new Error('Expiry does not end.');
}

/** Decides again all invoices that wait for a payment to settle. */
export async function decideAgain(engine: EngineFixture): Promise<void> {
  const decidePending = createDecidePendingInvoices(engine.as('worker'), engine.clock);
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await decidePending()) === 0) return;
  }
  throw new Error('Deciding does not end.');
}
