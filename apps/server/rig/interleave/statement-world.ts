import { startExchangeAccount } from '../../src/invoices/start-exchange-account.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { findExchangeAccount } from '../../src/wallets/exchange-account-sql.ts';
import { removeExchangeAccount } from '../../src/wallets/remove-exchange-account.ts';
import { stopExchangeAccount } from '../../src/wallets/stop-exchange-account.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { ExchangeFixture, ExchangeSite, OpenPayment } from '../exchanges/exchange-fixture.ts';
import {
  createExchangeReader,
  openExchangeFixture,
  openPayment,
  pass,
  payQuote,
  poll,
} from '../exchanges/exchange-fixture.ts';
import { tryCancel } from '../invoices/cancel-invoice.ts';
import { decideAgain } from '../invoices/follow-network.ts';
import { eventsOf, statusOf, transfersOf } from '../invoices/look-up.ts';
import { findEventFaults } from './event-faults.ts';
import { TESTER } from '../stores/open-store.ts';

/** An exchange account with three payments, a reader that can be paused while it reads them, and actors. */

type PaidRow = OpenPayment & { id: string };

type StatementWorld = ExchangeFixture & {
  /** A payment that is final from the start. */
  credited: PaidRow;
  /** Pending payments; a rewind credits the first and fails the second. */
  rising: PaidRow;
  failing: PaidRow;
};

/** Coverage (unix milliseconds) and completed invoices, as they were when an actor had finished. */
export type StatementSnapshot = { coveredMs: number; completed: string[] };

const MAX_FAULTS = 10;
const SETTLED_SECONDS = 120;

const paymentsOf = ({ credited, rising, failing }: StatementWorld) => [credited, rising, failing];
const nameOf = ({ network, account }: ExchangeFixture) => ({ network, account: account.uid });
const adminOf = ({ engine }: ExchangeFixture) => ({ database: engine.as('admin'), clock: engine.clock });
const statusOfRow = ({ engine, store }: StatementWorld, { transId }: PaidRow) => statusOf(engine, store, transId);

export async function openStatementWorld(site: ExchangeSite): Promise<StatementWorld> {
  const fixture = await openExchangeFixture(site);
  const open: OpenPayment[] = [];
  for (let count = 0; count < 3; count += 1) open.push(await openPayment(fixture));
  const states = ['final', 'pending', 'pending'] as const;
  const [credited, rising, failing] = open.map((one, place) => {
    const state = states[place] ?? 'final';
    return Object.assign(one, { id: payQuote(fixture, one, { state }) });
  });
  if (!credited || !rising || !failing) throw new Error('Three payments were to be made.');
  return { ...fixture, credited, rising, failing };
}

/** Polls the exchange account with a reader that is paused at a point. */
export async function readWith(world: StatementWorld, failpoint: (name: string) => Promise<void>): Promise<void> {
  await poll(world, { ...world.follower, failpoint });
}

const otherReader = ({ engine, network, store }: StatementWorld) => createExchangeReader(engine, network, store);

async function replaceKey({ engine, network, account, store, fake }: StatementWorld): Promise<void> {
  const { credentials } = account.issueKey();
  const { clock } = engine;
  const statements = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }) });
  const context = { database: engine.as('admin'), clock, networks: NETWORKS, statements, ring: store.ring };
  await addExchangeAccount({ ...context, anyBaseUrl: true, jobs: undefined }, TESTER, {
    store: store.ref,
    network,
    baseUrl: fake.url,
    credentials,
  });
  account.change({ active: false });
}

/** What else may happen while a reader is between its read and its commit. */
export const STATEMENT_ACTORS = {
  'a rewind': async (world: StatementWorld) => {
    world.fake.settle(world.rising.id, 'final');
    world.fake.settle(world.failing.id, 'failed');
    await poll(world, otherReader(world));
  },
  'a second worker': (world: StatementWorld) => poll(world, otherReader(world)),
  'a stop': (world: StatementWorld) =>
    stopExchangeAccount(adminOf(world), TESTER, { ...nameOf(world), reason: 'test' }),
  'a removal': (world: StatementWorld) =>
    removeExchangeAccount(adminOf(world), TESTER, { ...nameOf(world), reason: 'test' }),
  'a new key': replaceKey,
  'a cancel': async (world: StatementWorld) => {
    for (const { transId } of paymentsOf(world)) await tryCancel(world.engine, world.store, transId);
  },
} as const satisfies Record<string, (world: StatementWorld) => Promise<void>>;

export async function takeSnapshot(world: StatementWorld): Promise<StatementSnapshot> {
  const { rows } = await world.engine.database.pool.query<{ covered: number }>(
    'select height::float8 as covered from chain_coverage where network = $1 and scope = $2',
    [world.network, world.account.uid],
  );
  const completed: string[] = [];
  for (const paid of paymentsOf(world))
    if ((await statusOfRow(world, paid)) === 'completed') completed.push(paid.transId);
  return { coveredMs: rows[0]?.covered ?? 0, completed };
}

/** Faults right after the reader has continued: completed invoices whose payment is not final, or after a stop. */
export async function findLateViolations(
  world: StatementWorld,
  actor: string,
  before: StatementSnapshot | undefined,
): Promise<string[]> {
  const found: string[] = [];
  const { rows } = await world.engine.database.pool.query<{ trans_id: string }>(
    `select i.trans_id from invoices i join transfers t on t.id = i.paid_transfer_id
     where i.status = 'completed' and t.to_address = $1 and (not t.canonical or t.settled_hash is distinct from t.block_hash)`,
    [world.account.uid],
  );
  for (const { trans_id } of rows) found.push(`${trans_id} is completed by a payment that is not final`);
  if (!before || actor !== 'a stop') return found;
  const now = await takeSnapshot(world);
  if (now.coveredMs > before.coveredMs) found.push('a stopped account was covered');
  for (const transId of now.completed)
    if (!before.completed.includes(transId)) found.push(`${transId} completed at a stopped account`);
  return found;
}

async function findRowFaults(world: StatementWorld, paid: PaidRow, isFinal: boolean): Promise<string[]> {
  const { engine } = world;
  const found: string[] = [];
  const status = await statusOfRow(world, paid);
  const events = await eventsOf(engine, paid.transId);
  const rows = (await transfersOf(engine, paid.id)).filter(({ canonical }) => canonical);
  if (isFinal && status !== 'completed') found.push(`${paid.transId} is paid and ${status}`);
  if (!isFinal && status === 'completed') found.push(`${paid.transId} is completed without a payment`);
  if (status === 'completed') found.push(...findEventFaults(paid.transId, events));
  else if (events.length > 1) found.push(`${paid.transId} has ${events.length} events`);
  if (rows.length > 1) found.push(`${paid.id} is recorded ${rows.length} times`);
  return found;
}

/** Ends what the actor began, lets the platform decide, and finds payments that were lost or counted twice. */
export async function findFinalViolations(world: StatementWorld, actor: string): Promise<string[]> {
  const { engine, fake, rising, failing, credited } = world;
  if (actor === 'a stop')
    await startExchangeAccount(adminOf(world), TESTER, { ...nameOf(world), reason: 'test is over' });
  if (actor !== 'a rewind') {
    fake.settle(rising.id, 'final');
    fake.settle(failing.id, 'failed');
  }
  await pass(world, SETTLED_SECONDS);
  await decideAgain(engine);
  // A removed exchange account is not read: its payments may be unknown.
  const isRead = actor !== 'a removal';
  const found: string[] = [];
  for (const paid of [credited, rising])
    found.push(...(await findRowFaults(world, paid, isRead || (await statusOfRow(world, paid)) === 'completed')));
  found.push(...(await findRowFaults(world, failing, false)));
  const stored = await findExchangeAccount(engine.database.queries, nameOf(world));
  if (isRead && stored?.fault !== null) found.push(`the key is called faulty: ${stored?.fault}`);
  const faults = await findLedgerFaults(engine.database.queries, MAX_FAULTS);
  return [
    ...found,
    ...faults.map((fault) => JSON.stringify(fault)),
    ...(await findLateViolations(world, actor, undefined)),
  ];
}
