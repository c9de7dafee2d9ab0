import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { chainOf } from '../invoices/engine-fixture.ts';
import { decideAgain, settle } from '../invoices/follow-network.ts';
import { alarmsOf, eventsOf, standingOf, statusOf, transfersOf } from '../invoices/look-up.ts';
import { command } from '../invoices/run-command.ts';
import { findEventFaults } from './event-faults.ts';
import type { ChainWorld, Paid } from './chain-world.ts';
import { blockOf, hashAt, NETWORK } from './chain-world.ts';
import { headerAt } from '../chains/evm/reorg.ts';
import type { Order } from './interleave.ts';

/** Invariants of a chain, regardless of changes between a read and its commit. */

const SMALL_TIER = 'conf:12';
const SMALL_DEPTH = 12;
const MAX_FAULTS = 10;

/** Stored data when an actor had finished. */
export type ChainSnapshot = {
  /** Coverage by tier. */
  covered: Record<string, number>;
  completed: string[];
  /** Transfers that count as settled although their range was not read to its end. */
  settledAbove: string[];
};

const paymentsOf = ({ seen, missed, more }: ChainWorld): Paid[] =>
  [seen, missed, ...more].filter((paid) => paid !== undefined);

async function completedOf(world: ChainWorld): Promise<string[]> {
  const completed: string[] = [];
  for (const { store, transId } of paymentsOf(world))
    if ((await statusOf(world.engine, store, transId)) === 'completed') completed.push(transId);
  return completed;
}

type RecordedRow = { tx_id: string; height: number; block_hash: string; settled: boolean };

async function readRecorded(world: ChainWorld): Promise<RecordedRow[]> {
  const { rows } = await world.engine.database.pool.query<RecordedRow>(
    `select tx_id, height::float8 as height, block_hash, settled_hash is not distinct from block_hash as settled
     from transfers where network = $1 and to_address = any($2) and canonical`,
    [NETWORK, paymentsOf(world).map(({ address }) => address)],
  );
  return rows;
}

export async function takeSnapshot(world: ChainWorld): Promise<ChainSnapshot> {
  const { covered, height } = await standingOf(world.engine, NETWORK);
  const above = (await readRecorded(world)).filter((row) => row.settled && row.height > height);
  return { covered, completed: await completedOf(world), settledAbove: above.map(({ tx_id }) => tx_id) };
}

/** Transfers that are recorded in blocks which the node does not have, where our cursor is on the node's chain. */
async function findForeign(world: ChainWorld, recorded: readonly RecordedRow[]): Promise<string[]> {
  const found: string[] = [];
  for (const [height, rows] of Map.groupBy(recorded, (row) => row.height)) {
    const hash = await hashAt(world, height);
    for (const { tx_id, block_hash } of rows)
      if (block_hash !== hash) found.push(`${tx_id} is recorded in a block of another fork at ${height}`);
  }
  return found;
}

export async function findStoredViolations(world: ChainWorld): Promise<string[]> {
  const { engine } = world;
  const { height, hash, covered } = await standingOf(engine, NETWORK);
  const found: string[] = [];
  for (const [tier, end] of Object.entries(covered))
    if (end > height) found.push(`${tier} is covered up to ${end}, above the cursor ${height}`);
  const { rows: ends } = await engine.database.pool.query<{ height: string }>(
    'select height from chain_reads where network = $1 and height > $2',
    [NETWORK, height],
  );
  for (const end of ends) found.push(`a read end at ${end.height} is above the cursor ${height}`);
  const recorded = await readRecorded(world);
  for (const row of recorded.filter((one) => one.height > height))
    found.push(`${row.tx_id} is ${row.settled ? 'settled' : 'recorded'} above the cursor`);
  if ((await hashAt(world, height)) !== hash) return found;
  found.push(...(await findForeign(world, recorded)));
  for (const paid of paymentsOf(world)) {
    const block = await blockOf(world, paid);
    const isStored = recorded.some(({ tx_id }) => tx_id === paid.signed.hash);
    if (block !== undefined && block <= (covered[SMALL_TIER] ?? 0) && !isStored)
      found.push(`${paid.signed.hash} is covered and was not read`);
  }
  return found;
}

/** Faults in what the reader committed after an actor had finished. */
export async function findLateViolations(
  world: ChainWorld,
  actor: string,
  before: ChainSnapshot | undefined,
): Promise<string[]> {
  if (!before) return [];
  const { engine } = world;
  const found = before.settledAbove.map((txId) => `${txId} was settled above the cursor by ${actor}`);
  const now = await takeSnapshot(world);
  const { number: head } = await headerAt(chainOf(engine, NETWORK).anvil, 'latest');
  for (const paid of paymentsOf(world)) {
    if (!now.completed.includes(paid.transId) || before.completed.includes(paid.transId)) continue;
    if (actor === 'a freeze') found.push(`${paid.transId} completed on a frozen network`);
    const block = await blockOf(world, paid);
    if (block === undefined || head - block + 1 < SMALL_DEPTH) found.push(`${paid.transId} completed too early`);
  }
  // What the reader had read was of a fork that is gone, or may not count.
  if (actor === 'a freeze' || actor === 'a rewind')
    for (const [tier, end] of Object.entries(now.covered))
      if (end > (before.covered[tier] ?? 0)) found.push(`${tier} was covered after ${actor}`);
  if (actor === 'a second worker')
    for (const [tier, end] of Object.entries(now.covered))
      if (end < (before.covered[tier] ?? 0)) found.push(`${tier} was covered further by ${actor}`);
  return found;
}

async function findPaidFaults(world: ChainWorld, { store, transId, signed }: Paid): Promise<string[]> {
  const { engine } = world;
  const found: string[] = [];
  const status = await statusOf(engine, store, transId);
  if (status !== 'completed') found.push(`${transId} is paid and ${status}`);
  const events = await eventsOf(engine, transId);
  found.push(...findEventFaults(transId, events));
  const rows = (await transfersOf(engine, signed.hash)).filter(({ canonical }) => canonical);
  if (rows.length !== 1) found.push(`${signed.hash} is recorded ${rows.length} times`);
  return found;
}

/** Lets the network settle, and finds payments that were lost, counted twice, or counted although they are gone. */
export async function findFinalViolations(
  world: ChainWorld,
  order: Order,
  before: ChainSnapshot | undefined,
): Promise<string[]> {
  const { engine } = world;
  if ((await standingOf(engine, NETWORK)).frozen)
    await command(engine, 'chain unfreeze', { network: NETWORK, reason: 'test' });
  await settle(engine, NETWORK);
  await decideAgain(engine);
  const found: string[] = [];
  for (const paid of paymentsOf(world)) {
    if ((await blockOf(world, paid)) !== undefined) {
      found.push(...(await findPaidFaults(world, paid)));
      continue;
    }
    if ((await statusOf(engine, paid.store, paid.transId)) !== 'completed') continue;
    const wasRight = order === 'beside' || before?.completed.includes(paid.transId) === true;
    const isReported = (await alarmsOf(engine, paid.transId)).includes('payment-reverted');
    if (!wasRight || !isReported) found.push(`${paid.transId} is completed without a payment`);
  }
  const faults = await findLedgerFaults(engine.database.queries, MAX_FAULTS);
  found.push(...faults.map((fault) => JSON.stringify(fault)));
  return [...found, ...(await findStoredViolations(world))];
}
