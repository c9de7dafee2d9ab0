import { createInvoiceBody, toCreateInvoiceInput } from '../../src/api/create-invoice-body.ts';
import { storeForKey } from '../../src/stores/store-for-key.ts';
import { pino } from 'pino';
import { inject } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { invoiceCommands } from '../../src/commands/invoice-commands.ts';
import { createInsertInvoice, createInvoice } from '../../src/invoices/create-invoice.ts';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { explainTransfers } from '../../src/invoices/explain-transfers.ts';
import { findInvoices } from '../../src/invoices/invoice-sql.ts';
import { viewInvoice } from '../../src/invoices/invoice-view.ts';
import { chainUnits } from '../../src/quotes/quote.ts';
import { recheckCommands } from '../../src/commands/recheck-commands.ts';
import { transferCommands } from '../../src/commands/transfer-commands.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { parseTier, tiersOf } from '../../src/networks/finality.ts';
import type { Network } from '../../src/networks/network.ts';
import { findNetwork, findToken } from '../../src/networks/network.ts';
import { profileOf } from '../../src/networks/profile.ts';
import { hashApiKey } from '../../src/stores/api-key.ts';
import { admitAll } from '../../src/stores/admission-sql.ts';
import { chainCommands } from '../../src/commands/chain-commands.ts';
import { readChain, readCoverage } from '../../src/chains/chain-sql.ts';
import type { Step } from '../../src/chains/follow-chain.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Anvil } from '../chain/anvil.ts';
import { startAnvil } from '../chain/anvil.ts';
import { genesisOf } from '../chain/genesis.ts';
import { payNative, payToken } from '../chain/payment.ts';
import { mine } from '../chain/reorg.ts';
import { installCanonicalTokens } from '../chain/token.ts';
import type { StoreOptions, TestDatabase, TestStore } from '../harness.ts';
import { nextAddress, openStore, openTestDatabase, VISITOR, TESTER } from '../harness.ts';
import { markAsRead } from '../mark-as-read.ts';

/** A store, a real node and the engine in one process, on a clock that only a test moves. */

export type FollowerChange = { owner?: string; failpoint?: (name: string) => void | Promise<void>; timeoutMs?: number };

/** `database` is the test's own; what the engine does it does in the role of its process. */
export type Shop = Pick<TestDatabase, 'database' | 'as'> & {
  /** Of its database, for processes beside this one. */
  url: string;
  clock: ManualClock;
  chains: Record<string, { anvil: Anvil; follower: Follower; genesisHash: string | undefined }>;
  /** Of the Solana node beside it, where there is one. */
  solanaUrl?: string;
  close: () => Promise<void>;
};

const log = pino({ level: 'silent' });
const MAX_STEPS = 500;
/** Beyond the depth of the deepest rule: what is read and confirmed there. */
const SPARE_BLOCKS = 14;
export const CHAIN_IDS: Record<string, number> = { BSC: 56, ETH: 1 };

/** More than the deepest rule asks for. */
const FIRST_BLOCKS = 120;

/** `finalized` lies twice as many blocks behind the head: as far as the network's own does. */
export function slotsOf(network: Network): number {
  const { finalizedLagSeconds, blockSeconds } = profileOf(network);
  return Math.max(1, Math.round(finalizedLagSeconds / blockSeconds / 2));
}

/** After so many blocks what was pending is settled by the rule for small sums. */
export function settlingBlocks(network: Network): number {
  const [smallest] = tiersOf(network.policy).map(parseTier);
  const depth = smallest?.kind === 'confirmations' ? smallest.count : 2 * slotsOf(network);
  return depth + SPARE_BLOCKS;
}

export async function openShop(networks: readonly string[], connections?: number): Promise<Shop> {
  const own: TestDatabase = await openTestDatabase(inject('adminUrl'), inject('template'), connections);
  const startSeconds = Math.floor(systemClock.nowMs() / 1000);
  const clock = createManualClock(startSeconds * 1000);
  const apply = createApplyTransfers(clock);
  const chains: Shop['chains'] = {};
  for (const symbol of networks) {
    const network = findNetwork(symbol);
    const chainId = CHAIN_IDS[symbol];
    if (!network || chainId === undefined) throw new Error(`The rig has no ${symbol}.`);
    const anvil = await startAnvil({ chainId, slotsInAnEpoch: slotsOf(network), timestamp: startSeconds - 3_600 });
    await installCanonicalTokens(anvil);
    await mine(anvil, FIRST_BLOCKS, { secondsBetween: 1 });
    const genesisHash = await genesisOf(anvil.url);
    const source = createEvmSource(network, [anvil.url], { monotonic: clock, genesisHash });
    chains[symbol] = {
      anvil,
      genesisHash,
      follower: createFollower({ database: own.as('worker'), clock, log, source, owner: 'test', apply }),
    };
  }
  return {
    database: own.database,
    as: own.as,
    url: own.url,
    clock,
    chains,
    close: async () => {
      await Promise.all(Object.values(chains).map(({ anvil }) => anvil.stop()));
      await own.drop();
    },
  };
}

export async function openPayableStore(shop: Shop, options: StoreOptions = {}): Promise<TestStore> {
  const store = await openStore(shop.database, { clock: shop.clock, wallet: false, ...options });
  for (const network of Object.keys(shop.chains)) {
    await addWallet(shop, TESTER, {
      store: store.ref,
      network,
      address: nextAddress(),
    });
  }
  return store;
}

/** Two sources agree, as of now. */
export async function setPrices(shop: Shop, prices: Record<string, string> = {}): Promise<void> {
  const all = { USDT: '1', USDC: '1', ETH: '3000', BNB: '600', ...prices };
  for (const [token, usd] of Object.entries(all)) {
    for (const source of ['kraken', 'coinbase']) {
      await shop.database.pool.query(
        `insert into price_reports (source, token, usd, observed_at) values ($1, $2, $3, $4)
         on conflict (source, token) do update set usd = excluded.usd, observed_at = excluded.observed_at`,
        [source, token, usd, new Date(shop.clock.nowMs())],
      );
    }
  }
}

/** A new invoice by the verb that the API calls. */
export async function newInvoice(
  shop: Shop,
  store: TestStore,
  amount = '50',
  more: Record<string, string> = {},
): Promise<string> {
  const [admission] = await admitAll(shop.as('api').pool, 'create', [
    { keyHash: hashApiKey(store.apiKey), address: 'test' },
  ]);
  if (!admission?.store) throw new Error('The store was not admitted.');
  const insertInvoice = createInsertInvoice(shop.as('api'));
  const body = { merchant_id: store.merchantId, amount, callback_url: 'https://shop.example/callback', ...more };
  const created = await createInvoice(
    { database: shop.as('api'), clock: shop.clock, log, insertInvoice },
    { kind: 'key', storeId: store.id },
    toCreateInvoiceInput(storeForKey(admission.store), createInvoiceBody.parse(body)),
  );
  return created.transId;
}

export async function select(shop: Shop, transId: string, network = 'BSC', token = 'USDT'): Promise<QuoteRow> {
  await setPrices(shop);
  await markAsRead(shop.database.pool, shop.clock);
  const selection = await selectPaymentMethod({ database: shop.as('api'), clock: shop.clock }, VISITOR, {
    transId,
    network,
    token,
  });
  if (!selection.selected) throw new Error(`The selection was refused: ${selection.refusal}`);
  return selection.quote;
}

export function chainOf(shop: Shop, network: string): Shop['chains'][string] {
  const chain = shop.chains[network];
  if (!chain) throw new Error(`The shop has no ${network}.`);
  return chain;
}

/** Base units that a quote asks for. */
export function unitsOf(quote: QuoteRow): bigint {
  const network = findNetwork(quote.network);
  const token = network && findToken(network, quote.token);
  if (!token) throw new Error(`${quote.token} on ${quote.network} is unknown.`);
  return chainUnits(quote.displayUnits, token);
}

/** Puts a payment of a quote in the pool; nothing is mined. */
export async function pay(shop: Shop, quote: QuoteRow, units = unitsOf(quote)): Promise<string> {
  const { anvil } = chainOf(shop, quote.network);
  const to = quote.toAddress as `0x${string}`;
  const contract = findToken(findNetwork(quote.network) ?? fail(), quote.token)?.contract;
  return contract ? payToken(anvil, { token: contract as `0x${string}`, to, units }) : payNative(anvil, { to, units });
}

function fail(): never {
  throw new Error('It is unknown.');
}

/** Mines blocks at the shop's time: the first now, the others a second apart; the clock follows. */
export async function mineNow(shop: Shop, network: string, blocks = 1): Promise<void> {
  const head = await mine(chainOf(shop, network).anvil, blocks, {
    atTime: Math.floor(shop.clock.nowMs() / 1000),
    secondsBetween: 1,
  });
  shop.clock.advance(Math.max(0, (head.timestamp + 1) * 1000 - shop.clock.nowMs()));
}

/** One step of both loops of a reader. */
export async function followChain(follower: Follower): Promise<Step> {
  const head = await followHead(follower);
  const tiers = await followTiers(follower);
  return tiers === 'worked' ? tiers : head;
}

/** Lets the reads of a network become old enough for second ones: database time cannot be moved, what it wrote can. */
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

/** Follows a network until there is nothing left to read, and again a while later. */
export async function follow(shop: Shop, network: string, follower = chainOf(shop, network).follower): Promise<void> {
  await followToEnd(network, follower);
  await ageReads(shop.database, network);
  await followToEnd(network, follower);
  await explain(shop);
}

/** Says of everything that matches nothing why. */
export async function explain(shop: Pick<Shop, 'as'>): Promise<void> {
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await explainTransfers(shop.as('worker'))) === 0) return;
  }
  throw new Error('Explaining does not end.');
}

/** A reader of the shop's database through other addresses than the node's own. */
export function followerOf(shop: Shop, network: string, urls: readonly string[], parts: FollowerChange = {}): Follower {
  const { clock } = shop;
  const { timeoutMs, ...more } = parts;
  const { follower, genesisHash } = chainOf(shop, network);
  const source = createEvmSource(follower.source.network, urls, { timeoutMs, monotonic: clock, genesisHash });
  const common = { database: shop.as('worker'), clock, log, apply: createApplyTransfers(clock) };
  return createFollower({ ...common, source, owner: 'test', ...more });
}

/** Mines until the rule for small sums has passed what was pending, and follows to there. */
export async function settle(shop: Shop, network: string): Promise<void> {
  await mineNow(shop, network, settlingBlocks(chainOf(shop, network).follower.source.network));
  await follow(shop, network);
}

/** Mines one block with exactly this time; the clock goes there if it is not past it. */
export async function mineAt(shop: Shop, network: string, seconds: number): Promise<void> {
  await mine(chainOf(shop, network).anvil, 1, { atTime: seconds });
  shop.clock.advance(Math.max(0, seconds * 1000 - shop.clock.nowMs()));
}

export function secondsNow(shop: Shop): number {
  return Math.floor(shop.clock.nowMs() / 1000);
}

export async function expire(shop: Shop): Promise<void> {
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await expireDueInvoices(shop.as('worker'), shop.clock)) === 0) return;
  }
  throw new Error('Expiry does not end.');
}

/** Decides again whatever waits for a payment to settle. */
export async function decideAgain(shop: Shop): Promise<void> {
  const decidePending = createDecidePendingInvoices(shop.as('worker'), shop.clock);
  for (let rounds = 0; rounds < MAX_STEPS; rounds += 1) {
    if ((await decidePending()) === 0) return;
  }
  throw new Error('Deciding does not end.');
}

export async function lookUp(shop: Shop, store: TestStore, transId: string): Promise<ReturnType<typeof viewInvoice>> {
  const [row] = await findInvoices(shop.as('api').pool, [{ storeId: store.id, transId }]);
  if (!row) throw new Error(`${transId} was not found.`);
  return viewInvoice(row);
}

export async function statusOf(shop: Shop, store: TestStore, transId: string): Promise<string> {
  return (await lookUp(shop, store, transId)).status;
}

export type TransferRow = {
  index: string;
  height: number;
  canonical: boolean;
  reason: string | null;
  trans_id: string | null;
};

/** What is stored of a transaction: where it stands, whose it is, and why it pays nothing. */
export async function transfersOf(shop: Shop, txId: string): Promise<TransferRow[]> {
  const { rows } = await shop.database.pool.query<TransferRow>(
    `select t.index, t.height::integer, t.canonical, t.reason, i.trans_id
     from transfers t left join invoices i on i.id = t.invoice_id where t.tx_id = $1 order by t.index`,
    [txId],
  );
  return rows;
}

export type InvoiceFacts = { id: bigint; expires_at: Date; late: boolean; gate_network: string | null };

export async function factsOf(shop: Shop, transId: string): Promise<InvoiceFacts> {
  const { rows } = await shop.database.pool.query<InvoiceFacts>(
    'select id, expires_at, late, gate_network from invoices where trans_id = $1',
    [transId],
  );
  return rows[0] ?? fail();
}

export async function endOf(shop: Shop, transId: string): Promise<number> {
  return (await factsOf(shop, transId)).expires_at.getTime() / 1000;
}

export async function alarmsOf(shop: Shop, subject: string): Promise<string[]> {
  const { rows } = await shop.database.pool.query<{ kind: string }>(
    'select kind from alarms where subject = $1 order by id',
    [subject],
  );
  return rows.map((row) => row.kind);
}

export type Standing = { height: number; hash: string; frozen: boolean; covered: Record<string, number> };

/** Where the engine is on a network: its cursor, and how high each tier is covered. */
export async function standingOf(shop: Shop, network: string): Promise<Standing> {
  const chain = (await readChain(shop.database.queries, network)) ?? fail();
  const coverage = await readCoverage(shop.database.queries, network);
  return {
    height: chain.height,
    hash: chain.hash,
    frozen: chain.frozen,
    covered: Object.fromEntries(coverage.map(({ tier, height }) => [tier, height])),
  };
}

/** Who runs commands, as the audit names it: `cli:operator`. */
export const OPERATOR = { kind: 'operator', name: 'operator' } as const;

/** Runs a command of the operator's tool, through other addresses than the node's own where some are given. */
export async function command(
  shop: Shop,
  name: string,
  values: Record<string, string>,
  urls?: readonly string[],
): Promise<unknown> {
  const commands = [...chainCommands, ...invoiceCommands, ...recheckCommands, ...transferCommands];
  const found = commands.find((one) => one.name === name) ?? fail();
  const { clock } = shop;
  const chainUrls = (network: string) => urls ?? [shop.chains[network]?.anvil.url ?? shop.solanaUrl ?? fail()];
  const wait = async (ms: number) => clock.advance(ms);
  const [first] = urls ?? [];
  const other = first === undefined ? undefined : await genesisOf(first);
  const genesisHash = (network: string) => shop.chains[network]?.genesisHash ?? other;
  const context = {
    database: shop.as('admin'),
    clock,
    actor: OPERATOR,
    keyRingFile: fail,
    keyRing: fail,
    chainUrls,
    genesisHash,
    wait,
  };
  return found.run(context, values);
}

export async function auditOf(shop: Shop, subject: string): Promise<string[]> {
  const { rows } = await shop.database.pool.query<{ action: string }>(
    'select action from audit_entries where subject = $1 order by id',
    [subject],
  );
  return rows.map((row) => row.action);
}

export async function eventsOf(shop: Shop, transId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await shop.database.pool.query<{ body: string }>(
    'select e.body from events e join invoices i on i.id = e.invoice_id where i.trans_id = $1 order by e.sequence',
    [transId],
  );
  return rows.map((row) => JSON.parse(row.body) as Record<string, unknown>);
}

/** Takes the amounts from `base` on that are free, except those to spare. */
export async function fillAmounts(
  shop: Shop,
  { network, token, toAddress }: Pick<QuoteRow, 'network' | 'token' | 'toAddress'>,
  band: { base: bigint; salts: number; spare?: readonly bigint[] },
): Promise<void> {
  await shop.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id)
     select $1, $2, $3, units, 0 from generate_series($4::bigint, $4::bigint + $5) units on conflict do nothing`,
    [network, token, toAddress, band.base, band.salts],
  );
  await shop.database.pool.query('delete from amount_slots where quote_id = 0 and display_units = any($1)', [
    band.spare ?? [],
  ]);
}

export async function removeWallets(shop: Shop, store: TestStore): Promise<void> {
  await shop.database.pool.query('update wallets set removed_at = $1 where store_id = $2', [
    new Date(shop.clock.nowMs()),
    store.id,
  ]);
}

/** Runs `work` against a change that is made but not committed: it must wait, and sees the change afterwards. */
export async function duringChange<Result>(
  shop: Shop,
  statements: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await shop.database.pool.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    const working = work();
    for (let waiting = 0; waiting === 0;) {
      const { rowCount } = await client.query(
        `select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()`,
      );
      waiting = rowCount ?? 0;
    }
    await client.query('commit');
    return await working;
  } finally {
    client.release();
  }
}
