import type { Address } from '@solana/kit';
import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { createFindEnds } from '../../src/invoices/expiry-sql.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { findNetwork } from '../../src/networks/network.ts';
import type { AccountFollower, AccountFollowerParts } from '../../src/accounts/account-follower.ts';
import { createAccountFollower } from '../../src/accounts/account-follower.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { createSolanaSource } from '../../src/sources/solana/solana-source.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { randomAddress } from '../chain/solana-accounts.ts';
import { USDC, USDT } from '../chain/solana-mints.ts';
import type { SolanaNode } from '../chain/solana-node.ts';
import { startSolanaNode } from '../chain/solana-node.ts';
import { paySol, paySpl } from '../chain/solana-payment.ts';
import type { StoreOptions, TestStore } from '../harness.ts';
import { nextAddress, openStore, VISITOR, TESTER } from '../harness.ts';
import { markAsRead } from '../mark-as-read.ts';
import type { Shop } from './shop.ts';
import { endOf, explain, follow as followChain, newInvoice, openShop, secondsNow, setPrices, unitsOf } from './shop.ts';

/** A shop beside a Solana node, with the engine that reads it account by account. */

export type SolanaShop = Shop & { node: SolanaNode; follower: AccountFollower };

const log = pino({ level: 'silent' });
const HISTORY_SECONDS = 600;
const SPARE_BLOCKS = 5;
const MAX_ROUNDS = 500;
/** Accounts are due when a test says so. */
const NEVER_MS = 3_600_000;
/** Every poll reads everything, also when the network's final blocks are older than what was read. */
const ALWAYS_SECONDS = -86_400;

export function createReader(
  shop: Shop & { node: SolanaNode },
  parts: Partial<AccountFollowerParts> & { urls?: readonly string[] } = {},
): AccountFollower {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL.');
  const { clock, node } = shop;
  const database = shop.as('worker');
  const { urls = [node.url], ...more } = parts;
  return createAccountFollower({
    database,
    clock,
    log,
    apply: createApplyTransfers(clock),
    source: createSolanaSource(network, urls),
    pollMs: { open: NEVER_MS, resting: NEVER_MS },
    findEnds: createFindEnds(database.queries),
    coverSeconds: { open: ALWAYS_SECONDS, resting: ALWAYS_SECONDS },
    headsMs: 0,
    ...more,
  });
}

export type SolanaShopOptions = { networks?: readonly string[]; connections?: number; blockSeconds?: number };

export async function openSolanaShop(options: SolanaShopOptions = {}): Promise<SolanaShop> {
  const { networks = [], connections, blockSeconds } = options;
  const shop = await openShop(networks, connections);
  const timestamp = secondsNow(shop) - HISTORY_SECONDS;
  const node = await startSolanaNode({ timestamp, ...(blockSeconds !== undefined && { blockSeconds }) });
  node.produce(1, { atTime: secondsNow(shop) });
  const open = { ...shop, node, solanaUrl: node.url };
  const solana = { ...open, follower: createReader(open) };
  await follow(solana);
  const close = async () => {
    await finishReading(solana.follower);
    await node.stop();
    await shop.close();
  };
  return { ...solana, close };
}

/** A store that receives on Solana at an address of its own. */
export async function openSolanaStore(shop: Shop, options: StoreOptions = {}): Promise<TestStore & { wallet: string }> {
  const store = await openStore(shop.database, { clock: shop.clock, wallet: false, ...options });
  const wallet = randomAddress();
  await addWallet(shop, TESTER, { store: store.ref, network: 'SOL', address: wallet });
  return { ...store, wallet };
}

/** A shop beside both nodes, and a store that receives on each. */
export async function openBothNetworks(): Promise<{ shop: SolanaShop; store: TestStore & { wallet: string } }> {
  const shop = await openSolanaShop({ networks: ['BSC'] });
  const store = await openSolanaStore(shop);
  await addWallet(shop, TESTER, { store: store.ref, network: 'BSC', address: nextAddress() });
  await followChain(shop, 'BSC');
  return { shop, store };
}

export async function select(shop: Shop, transId: string, token = 'USDT'): Promise<QuoteRow> {
  await setPrices(shop, { SOL: '150' });
  await markAsRead(shop.database.pool, shop.clock);
  const context = { database: shop.as('api'), clock: shop.clock };
  const selection = await selectPaymentMethod(context, VISITOR, { transId, network: 'SOL', token });
  if (!selection.selected) throw new Error(`The selection was refused: ${selection.refusal}`);
  return selection.quote;
}

export type Open = { transId: string; quote: QuoteRow };

export async function openQuote(shop: Shop, store: TestStore, token = 'USDT', amount = '50'): Promise<Open> {
  const transId = await newInvoice(shop, store, amount);
  return { transId, quote: await select(shop, transId, token) };
}

export type PaymentChange = { units?: bigint; references?: readonly string[]; token?: string };

/** Puts a payment of a quote in the pool; no block is made. Without a reference, as a plain wallet or an exchange sends. */
export async function pay(shop: SolanaShop, quote: QuoteRow, change: PaymentChange = {}): Promise<string> {
  const { units = unitsOf(quote), token = quote.token } = change;
  const to = quote.toAddress as Address;
  const references = (change.references ?? []) as Address[];
  if (token === 'SOL') return paySol(shop.node, { to, lamports: units, references });
  return paySpl(shop.node, { mint: token === 'USDC' ? USDC : USDT, to, units, references });
}

/** Makes blocks at the shop's time; the clock follows. */
export function produceNow(shop: SolanaShop, blocks = 1): number {
  const head = shop.node.produce(blocks, { atTime: secondsNow(shop) });
  shop.clock.advance(Math.max(0, (head.time + 1) * 1000 - shop.clock.nowMs()));
  return head.slot;
}

/** Makes one block with exactly this time. */
export function produceAt(shop: SolanaShop, seconds: number): number {
  const head = shop.node.produce(1, { atTime: seconds });
  shop.clock.advance(Math.max(0, seconds * 1000 - shop.clock.nowMs()));
  return head.slot;
}

export async function makeDue(shop: Shop): Promise<void> {
  await shop.database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
}

/** Gives every account its turn, and turns again while there is more to read. */
export async function follow(shop: SolanaShop, follower = shop.follower): Promise<void> {
  await makeDue(shop);
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const step = await followAccounts(follower);
    await finishReading(follower);
    if (step !== 'worked') return explain(shop);
  }
  throw new Error('Accounts could not be followed to their end.');
}

/** Lets first reads grow old enough for a second: their times are in the database, and go back. */
export async function ageReads(shop: Shop): Promise<void> {
  await shop.database.pool.query(
    `update followed_accounts set read_at = read_at - interval '1 minute', earlier_at = earlier_at - interval '1 minute'`,
  );
}

/** Makes blocks until what is in the chain is final. */
export function finalizeNow(shop: SolanaShop): number {
  return produceNow(shop, shop.node.ledger.finalityLag + SPARE_BLOCKS);
}

/** Makes blocks until what is in the chain is final, and follows until it is covered. */
export async function settle(shop: SolanaShop, follower = shop.follower): Promise<void> {
  finalizeNow(shop);
  // A first read ends where the network was at the poll before.
  await follow(shop, follower);
  await follow(shop, follower);
  await ageReads(shop);
  await follow(shop, follower);
}

export async function goPast(shop: Shop, transId: string): Promise<void> {
  shop.clock.advance(Math.max(0, ((await endOf(shop, transId)) + 60 - secondsNow(shop)) * 1000));
}

export type AccountFacts = { state: string; height: number; covered: number; failures: number; doubted: boolean };

export async function accountOf(shop: Shop, account: string): Promise<AccountFacts> {
  const { rows } = await shop.database.pool.query<AccountFacts>(
    `select f.state, f.height::float8 as height, c.height::float8 as covered, f.failures, f.doubted_at is not null as doubted
     from followed_accounts f left join chain_coverage c on c.network = f.network and c.scope = f.account where f.account = $1`,
    [account],
  );
  const [facts] = rows;
  if (!facts) throw new Error(`${account} is not followed.`);
  return facts;
}
