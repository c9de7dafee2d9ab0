import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import { pino } from 'pino';
import { finishStatements, followStatements } from '../../src/accounts/follow-statements.ts';
import type { StatementFollower } from '../../src/accounts/statement-follower.ts';
import { createStatementFollower } from '../../src/accounts/statement-follower.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { openExchangeKey } from '../../src/wallets/open-exchange-key.ts';
import { requireStatementSource } from '../../src/wallets/statement-sources.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { Template } from '../database/template-database.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';
import { openEngineFixture } from '../invoices/engine-fixture.ts';
import { explain } from '../invoices/follow-network.ts';
import { newInvoice, setPrices } from '../invoices/pay-invoice.ts';
import { selectMethod } from '../invoices/select-method.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import { startBinanceServer } from './binance-server.ts';
import { startBybitServer } from './bybit-server.ts';
import type { FakeAccount, FakeExchange, FakeExchangeOptions, FakePayment, FakePlatform } from './fake-exchange.ts';
import { startKucoinServer } from './kucoin-server.ts';
import { startOkxServer } from './okx-server.ts';
import { receiveAt } from './receive-at.ts';

/**
 * A store with an exchange account at a fake platform, and a reader of this exchange account that tests move step by
 * step.
 */

export const FAKES: Record<FakePlatform, (options: FakeExchangeOptions) => Promise<FakeExchange>> = {
  BINANCE: startBinanceServer,
  OKX: startOkxServer,
  BYBIT: startBybitServer,
  KUCOIN: startKucoinServer,
};

export type ExchangeFixture = {
  engine: EngineFixture;
  fake: FakeExchange;
  network: string;
  store: TestStore;
  account: FakeAccount;
  follower: StatementFollower;
};

/** How many of the readers' newest warnings are kept. */
const MAX_WARNINGS = 20;
const warnings: string[] = [];

/** Warnings of readers are kept rather than printed: most are of faults that a test causes on purpose. */
const log = pino(
  { level: 'warn' },
  {
    write: (line: string) => {
      warnings.push(line);
      if (warnings.length > MAX_WARNINGS) warnings.shift();
    },
  },
);

/** The newest warnings of all readers, for the message of a check that fails. */
export const readerWarnings = (): string => `Readers warned:\n${warnings.join('')}`;

/**
 * How long a reader waits for an answer: long, because this time is real, and a fake on a busy machine may answer after
 * seconds. No test waits for it, because no fake is silent here.
 */
const TIMEOUT_MS = 10_000;

export function startFake(platform: FakePlatform, options: FakeExchangeOptions): Promise<FakeExchange> {
  return FAKES[platform](options);
}

/** Creates a reader, as one process has it, that shares no memory with other readers. */
export function createExchangeReader(
  engine: Pick<EngineFixture, 'as' | 'clock'>,
  network: string,
  store: Pick<TestStore, 'ring'>,
): StatementFollower {
  const { clock } = engine;
  // A read that waits for its quota moves the clock, which is otherwise stopped.
  const wait = (ms: number) => clock.wait(ms);
  const options = { clock, gate: createRequestGate({ clock, wait }), timeoutMs: TIMEOUT_MS, wait };
  const sources = createStatementSources(NETWORKS, options);
  const database = engine.as('worker');
  return createStatementFollower({
    database,
    clock,
    log,
    source: requireStatementSource(sources, network),
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
    keyOf: (one) => openExchangeKey(database.queries, store.ring, one),
    headMs: 0,
  });
}

/** Opens an exchange account at the platform and lets the store receive there. */
export function addAccount(
  { engine, fake }: Pick<ExchangeFixture, 'engine' | 'fake' | 'network'>,
  store: TestStore,
): Promise<FakeAccount> {
  return receiveAt({ database: engine.as('admin'), clock: engine.clock }, fake, store);
}

export type ExchangeSite = Pick<ExchangeFixture, 'engine' | 'fake' | 'network'> & { close: () => Promise<void> };

export async function openExchangeSite(template: Template, platform: FakePlatform): Promise<ExchangeSite> {
  const engine = await openEngineFixture(template, []);
  const fake = await startFake(platform, { clock: engine.clock, quotas: false });
  const close = async () => {
    await fake.stop();
    await engine.close();
  };
  return { engine, fake, network: `EXCHANGE_PAY:${platform}`, close };
}

/**
 * Opens a store of its own with its own exchange account; exchange accounts of other fixtures are no longer followed.
 */
export async function openExchangeFixture({ engine, fake, network }: ExchangeSite): Promise<ExchangeFixture> {
  fake.misbehave(null);
  await engine.database.pool.query(`update followed_accounts set state = 'idle', next_read_at = 'infinity'`);
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false });
  const account = await addAccount({ engine, fake, network }, store);
  return { engine, fake, network, store, account, follower: createExchangeReader(engine, network, store) };
}

/**
 * How far the test's clock advances before each poll: with a stopped clock quotas are never renewed, and the request
 * gate would refuse further requests.
 */
const POLL_MS = 2_000;

/** Polls every followed exchange account once. Database time cannot be moved, so stored times are moved instead. */
export async function poll({ engine, network, follower }: ExchangeFixture, by = follower): Promise<void> {
  engine.clock.advance(POLL_MS);
  await engine.database.pool.query(
    `update followed_accounts set next_read_at = '-infinity' where network = $1 and state <> 'idle'`,
    [network],
  );
  await followStatements(by);
  await finishStatements(by);
  await explain(engine);
}

/** Lets time pass and polls on the way, like a worker that is never away for longer than `stepSeconds`. */
export async function pass(fixture: ExchangeFixture, seconds: number, stepSeconds = 30): Promise<void> {
  for (let left = seconds; left > 0; left -= stepSeconds) {
    fixture.engine.clock.advance(Math.min(left, stepSeconds) * 1_000);
    await poll(fixture);
  }
}

export type OpenPayment = { transId: string; quote: QuoteRow };

/** An invoice with a selected quote at the exchange account. */
export async function openPayment(
  fixture: ExchangeFixture,
  store = fixture.store,
  token = 'USDT',
): Promise<OpenPayment> {
  const { engine, network } = fixture;
  const { clock } = engine;
  await poll(fixture);
  await setPrices(engine);
  const transId = await newInvoice(engine, store);
  const quote = await selectMethod({ database: engine.as('api'), clock }, { transId, network, token });
  await poll(fixture);
  return { transId, quote };
}

const SHOWN_DECIMALS = 6;

/** Pays a quote at the platform: its amount, plus `byUnits` of the last digit. */
export function payQuote(
  { fake }: ExchangeFixture,
  { quote }: OpenPayment,
  more: Partial<FakePayment> = {},
  byUnits = 0n,
): string {
  const units = requireDecimal(quote.tokenAmount, SHOWN_DECIMALS) + byUnits;
  const amount = formatDecimal(units, SHOWN_DECIMALS);
  return fake.pay(quote.toAddress, { token: quote.token, amount, ...more }).id;
}
