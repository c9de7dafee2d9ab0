import { readAccountState } from '../../src/accounts/account-sql.ts';
import { readChain } from '../../src/chains/chain-sql.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { fail } from '../invoices/engine-fixture.ts';
import { decideAgain } from '../invoices/follow-network.ts';
import { eventsOf, statusOf, transfersOf } from '../invoices/look-up.ts';
import { command } from '../invoices/run-command.ts';
import { settle } from '../invoices/solana-fixture.ts';
import { findEventFaults } from './event-faults.ts';
import type { AccountWorld, PaidAccount } from './account-world.ts';
import { finalSlot, FIRST_READS, NETWORK, slotOf } from './account-world.ts';

/** Invariants of a followed account, regardless of changes between a read and its commit. */

const MAX_FAULTS = 10;
/** Longer than a missing payment is doubted before it counts as gone. */
const DOUBT_MS = 11_000;
/** Actors after which nothing may settle or be covered. */
const HALTS: ReadonlySet<string> = new Set(['a freeze', 'a stop of the account']);

/** Coverage and completed invoices, as they were when an actor had finished. */
export type AccountSnapshot = { covered: number; completed: string[] };

const paymentsOf = ({ seen, missed, more }: AccountWorld): PaidAccount[] =>
  [seen, missed, ...more].filter((paid) => paid !== undefined);

async function stateOf({ engine, account }: AccountWorld) {
  return (await readAccountState(engine.database.queries, NETWORK, account)) ?? fail();
}

export async function takeSnapshot(world: AccountWorld): Promise<AccountSnapshot> {
  const { covered } = await stateOf(world);
  const completed: string[] = [];
  for (const { store, transId } of paymentsOf(world))
    if ((await statusOf(world.engine, store, transId)) === 'completed') completed.push(transId);
  return { covered: covered?.height ?? 0, completed };
}

/** Faults in stored data, regardless of reads. */
export async function findStoredViolations(world: AccountWorld): Promise<string[]> {
  const { engine } = world;
  const found: string[] = [];
  const { covered, cursor } = await stateOf(world);
  const end = covered?.height ?? 0;
  if (end > cursor.height) found.push(`${end} is covered, above the cursor ${cursor.height}`);
  if (end > finalSlot(world)) found.push(`${end} is covered and not final`);
  for (const paid of paymentsOf(world)) {
    if (paid.address !== world.account) continue;
    const slot = slotOf(world, paid);
    const rows = (await transfersOf(engine, paid.hash)).filter(({ canonical }) => canonical);
    if (slot !== undefined && slot <= end && rows.length !== 1) found.push(`${paid.hash} is covered and not recorded`);
    if (rows.some(({ height }) => height <= end && height !== slot))
      found.push(`${paid.hash} is covered in a slot of another fork`);
  }
  return found;
}

/** Faults in what the reader committed after an actor had finished. */
export async function findLateViolations(
  world: AccountWorld,
  actor: string,
  before: AccountSnapshot | undefined,
): Promise<string[]> {
  if (!before) return [];
  const found: string[] = [];
  const now = await takeSnapshot(world);
  const isRewound = actor === 'a rewind' && !FIRST_READS.has(world.point);
  if ((HALTS.has(actor) || isRewound) && now.covered > before.covered)
    found.push(`${now.covered} was covered after ${actor}`);
  if (actor === 'a second worker' && now.covered < before.covered)
    found.push(`${before.covered} was covered by ${actor}, and is no longer`);
  for (const paid of paymentsOf(world)) {
    if (!now.completed.includes(paid.transId) || before.completed.includes(paid.transId)) continue;
    if (HALTS.has(actor)) found.push(`${paid.transId} completed after ${actor}`);
    const slot = slotOf(world, paid);
    if (slot === undefined || slot > finalSlot(world)) found.push(`${paid.transId} completed too early`);
  }
  return found;
}

/** Lets the network settle, and finds payments that were lost, counted twice, or counted although they are gone. */
export async function findFinalViolations(world: AccountWorld): Promise<string[]> {
  const { engine } = world;
  if ((await readChain(engine.database.queries, NETWORK))?.frozen === true)
    await command(engine, 'chain unfreeze', { network: NETWORK, reason: 'test' });
  await engine.database.pool.query(
    'update followed_accounts set stopped_at = null, stop_reason = null, version = version + 1 where account = $1',
    [world.account],
  );
  await settle(engine);
  engine.clock.advance(DOUBT_MS);
  await settle(engine);
  await decideAgain(engine);
  const found: string[] = [];
  for (const paid of paymentsOf(world)) {
    const { store, transId, hash } = paid;
    const status = await statusOf(engine, store, transId);
    if (slotOf(world, paid) === undefined) {
      if (status === 'completed') found.push(`${transId} is completed without a payment`);
      continue;
    }
    if (status !== 'completed') found.push(`${transId} is paid and ${status}`);
    const events = await eventsOf(engine, transId);
    found.push(...findEventFaults(transId, events));
    const rows = (await transfersOf(engine, hash)).filter(({ canonical }) => canonical);
    if (rows.length !== 1) found.push(`${hash} is recorded ${rows.length} times`);
  }
  const faults = await findLedgerFaults(engine.database.queries, MAX_FAULTS);
  found.push(...faults.map((fault) => JSON.stringify(fault)));
  return [...found, ...(await findStoredViolations(world))];
}
