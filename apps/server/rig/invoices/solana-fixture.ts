import type { Address } from '@solana/kit';
import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { createFindEnds } from '../../src/invoices/expiry-sql.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { findNetwork, NETWORKS } from '../chains/networks.ts';
import type { AccountFollower, AccountFollowerParts } from '../../src/accounts/account-follower.ts';
import { createAccountFollower } from '../../src/accounts/account-follower.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { createSolanaSource } from '../../src/sources/solana/solana-source.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { randomAddress } from '../chains/solana/accounts.ts';
import { USDC, USDT } from '../chains/solana/mints.ts';
import type { SolanaNode } from '../chains/solana/node.ts';
import { startSolanaNode } from '../chains/solana/node.ts';
import { paySol, paySpl } from '../chains/solana/payment.ts';
import type { StoreOptions, TestStore } from '../stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../stores/open-store.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { endOf } from './look-up.ts';
import { explain, follow as followChain } from './follow-network.ts';
import { newInvoice, setPrices, unitsOf } from './pay-invoice.ts';
import { openEngineFixture, secondsNow } from './engine-fixture.ts';
import type { Template } from '../database/template-database.ts';
import { selectCurrent } from './select-current.ts';

/** An engine with a Solana node, which the engine reads account by account. */

export type SolanaFixture = EngineFixture & { node: SolanaNode; follower: AccountFollower };

const log = pino({ level: 'silent' });
const HISTORY_SECONDS = 600;
const SPARE_BLOCKS = 5;
const MAX_ROUNDS = 500;
/** Poll interval that never passes: followed accounts are due only after `makeDue`. */
const NEVER_MS = 3_600_000;
/**
 * Allowed age of cursor and coverage. The value is negative, so that cursor and coverage always count as too old and
 * every poll reads all followed accounts.
 */
const ALWAYS_SECONDS = -86_400;

export function createReader(
  engine: EngineFixture & { node: SolanaNode },
  parts: Partial<AccountFollowerParts> & { urls?: readonly string[]; monotonic?: Clock } = {},
): AccountFollower {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL.');
  const { clock, node } = engine;
  const database = engine.as('worker');
  const { urls = [node.url], monotonic, ...more } = parts;
  return createAccountFollower({
    database,
    clock,
    log,
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
    source: createSolanaSource(network, urls, undefined, monotonic),
    pollMs: { open: NEVER_MS, resting: NEVER_MS },
    findEnds: createFindEnds(database.queries),
    coverSeconds: { open: ALWAYS_SECONDS, resting: ALWAYS_SECONDS },
    headsMs: 0,
    ...more,
  });
}

export type SolanaOptions = { networks?: readonly string[]; connections?: number; blockSeconds?: number };

export async function openSolanaFixture(template: Template, options: SolanaOptions = {}): Promise<SolanaFixture> {
  const { networks = [], connections, blockSeconds } = options;
  const engine = await openEngineFixture(template, networks, connections);
  const timestamp = secondsNow(engine) - HISTORY_SECONDS;
  const node = await startSolanaNode({ timestamp, ...(blockSeconds !== undefined && { blockSeconds }) });
  node.produce(1, { atTime: secondsNow(engine) });
  const open = { ...engine, node, solanaUrl: node.url };
  const solana = { ...open, follower: createReader(open, { monotonic: engine.clock }) };
  await follow(solana);
  const close = async () => {
    await finishReading(solana.follower);
    await node.stop();
    await engine.close();
  };
  return { ...solana, close };
}

/** Opens a store that receives on Solana at a new address. */
export async function openSolanaStore(
  engine: EngineFixture,
  options: StoreOptions = {},
): Promise<TestStore & { wallet: string }> {
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false, ...options });
  const wallet = randomAddress();
  await addWallet(engine, TESTER, { store: store.ref, network: 'SOL', address: wallet });
  return { ...store, wallet };
}

/** Opens an engine with a Solana and a BSC node, and a store that receives on both. */
export async function openBothNetworks(
  template: Template,
): Promise<{ engine: SolanaFixture; store: TestStore & { wallet: string } }> {
  const engine = await openSolanaFixture(template, { networks: ['BSC'] });
  const store = await openSolanaStore(engine);
  await addWallet(engine, TESTER, { store: store.ref, network: 'BSC', address: nextAddress() });
  await followChain(engine, 'BSC');
  return { engine, store };
}

export async function select(engine: SolanaFixture, transId: string, token = 'USDT'): Promise<QuoteRow> {
  await setPrices(engine, { SOL: '150' });
  return selectCurrent(engine, { transId, network: 'SOL', token }, async () => {
    finalizeNow(engine);
    await followAccounts(engine.follower);
    await finishReading(engine.follower);
    await setPrices(engine, { SOL: '150' });
  });
}

export type Open = { transId: string; quote: QuoteRow };

export async function openQuote(engine: SolanaFixture, store: TestStore, token = 'USDT', amount = '50'): Promise<Open> {
  const transId = await newInvoice(engine, store, amount);
  return { transId, quote: await select(engine, transId, token) };
}

export type PaymentChange = { units?: bigint; references?: readonly string[]; token?: string };

/**
 * Puts a quote's payment into the pool; makes no block. By default the payment has no reference, as from a plain wallet
 * or an exchange.
 */
export async function pay(engine: SolanaFixture, quote: QuoteRow, change: PaymentChange = {}): Promise<string> {
  const { units = unitsOf(quote), token = quote.token } = change;
  const to = quote.toAddress as Address;
  const references = (change.references ?? []) as Address[];
  if (token === 'SOL') return paySol(engine.node, { to, lamports: units, references });
  return paySpl(engine.node, { mint: token === 'USDC' ? USDC : USDT, to, units, references });
}

/** Makes blocks at the engine's time, and moves the clock accordingly. */
export function produceNow(engine: SolanaFixture, blocks = 1): number {
  const head = engine.node.produce(blocks, { atTime: secondsNow(engine) });
  engine.clock.advance(Math.max(0, (head.time + 1) * 1000 - engine.clock.nowMs()));
  return head.slot;
}

/** Makes one block of exactly this time. */
export function produceAt(engine: SolanaFixture, seconds: number): number {
  const head = engine.node.produce(1, { atTime: seconds });
  engine.clock.advance(Math.max(0, seconds * 1000 - engine.clock.nowMs()));
  return head.slot;
}

export async function makeDue(engine: EngineFixture): Promise<void> {
  await engine.database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
}

/** Reads every followed account, and again while there is more to read. */
export async function follow(engine: SolanaFixture, follower = engine.follower): Promise<void> {
  await makeDue(engine);
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const step = await followAccounts(follower);
    await finishReading(follower);
    if (step !== 'worked') return explain(engine);
  }
  throw new Error('Accounts could not be followed to their end.');
}

/** Makes first reads old enough for a second read, by moving their stored times back. */
export async function ageReads(engine: EngineFixture): Promise<void> {
  await engine.database.pool.query(
    `update followed_accounts set read_at = read_at - interval '1 minute', earlier_at = earlier_at - interval '1 minute'`,
  );
}

/** Makes retries of an account's unreadable transactions due now, instead of seconds later by the database's clock. */
export async function makeRetriesDue(engine: EngineFixture, account: string): Promise<void> {
  await engine.database.pool.query(
    'update unreadable_transactions set next_try_at = clock_timestamp() where account = $1',
    [account],
  );
}

/** The database's clock, as text because a `Date` would lose microseconds. */
export async function readDatabaseTime({ database }: EngineFixture): Promise<string> {
  const { rows } = await database.pool.query<{ time: string }>('select clock_timestamp()::text as time');
  return rows[0]?.time ?? '';
}

/** Makes blocks until all earlier blocks are final. */
export function finalizeNow(engine: SolanaFixture): number {
  return produceNow(engine, engine.node.ledger.finalityLag + SPARE_BLOCKS);
}

/** Makes blocks until all earlier blocks are final, and follows the network until those final blocks are covered. */
export async function settle(engine: SolanaFixture, follower = engine.follower): Promise<void> {
  finalizeNow(engine);
  // Followed accounts are polled twice, because a first read ends at the head of the previous poll: only the second
  // poll reads up to the newest block.
  await follow(engine, follower);
  await follow(engine, follower);
  await ageReads(engine);
  await follow(engine, follower);
}

export async function goPast(engine: EngineFixture, transId: string): Promise<void> {
  engine.clock.advance(Math.max(0, ((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000));
}

export type AccountFacts = { state: string; height: number; covered: number; failures: number; doubted: boolean };

export async function accountOf(engine: EngineFixture, account: string): Promise<AccountFacts> {
  const { rows } = await engine.database.pool.query<AccountFacts>(
    `select f.state, f.height::float8 as height, c.height::float8 as covered, f.failures, f.doubted_at is not null as doubted
     from followed_accounts f left join chain_coverage c on c.network = f.network and c.scope = f.account where f.account = $1`,
    [account],
  );
  const [facts] = rows;
  if (!facts) throw new Error(`${account} is not followed.`);
  return facts;
}
