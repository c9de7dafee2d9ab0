import type { Database } from '../../src/db/database.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import type { RequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { savePause } from '../../src/wallets/exchange-account-sql.ts';
import { removeExchangeAccount } from '../../src/wallets/remove-exchange-account.ts';
import type { StatementSources } from '../../src/wallets/statement-sources.ts';
import { NETWORKS } from '../chains/networks.ts';
import { startBinanceServer } from '../exchanges/binance-server.ts';
import type { FakeAccount, FakeExchange } from '../exchanges/fake-exchange.ts';
import type { TestStore } from '../stores/open-store.ts';
import { TESTER } from '../stores/open-store.ts';
import type { WorkerRig } from './worker-rig.ts';
import { drain, quoteOne } from './worker-rig.ts';

/** An exchange account in a worker's day: payments of every kind, a lost one, a key that goes bad, a ban, an account given up. */

const PLATFORM = 'EXCHANGE_PAY:BINANCE';
const MINUTE_MS = 60_000;
/** Longer than a row may be missing before it counts as gone. */
const GONE_MS = 11 * MINUTE_MS;
const BAN_SECONDS = 120;
const follows = (name: string) => /^(follow EXCHANGE|explain)/.test(name);

export type RiggedExchange = {
  fake: FakeExchange;
  account: FakeAccount;
  statements: StatementSources;
  gate: RequestGate;
  /** Lets the store receive in another account, and answers its id. */
  addAnother: () => Promise<string>;
};

export async function openRiggedExchange(
  own: Database,
  recorded: Database,
  clock: ManualClock,
  store: TestStore,
): Promise<RiggedExchange> {
  const fake = await startBinanceServer({ clock, quotas: false });
  const gate = createRequestGate({
    clock,
    onPause: ({ baseUrl, untilMs }) => void savePause(recorded.queries, baseUrl, new Date(untilMs), 'rig'),
  });
  const statements = createStatementSources(NETWORKS, { clock, gate });
  const context = { database: own, clock, networks: NETWORKS, statements, ring: store.ring, anyBaseUrl: true };
  const add = async (account: FakeAccount) => {
    const input = { store: store.ref, network: PLATFORM, baseUrl: fake.url, credentials: account.credentials };
    return (await addExchangeAccount(context, TESTER, input)).account;
  };
  const account = fake.openAccount();
  await add(account);
  return { fake, account, statements, gate, addAnother: () => add(fake.openAccount()) };
}

/** Lets time pass, so that quotas allow another poll, and polls. */
async function pollAfter(rig: WorkerRig, ms: number): Promise<void> {
  rig.clock.advance(ms);
  await drain(rig, follows);
}

async function quoteAtExchange(rig: WorkerRig): Promise<QuoteRow> {
  await drain(rig, (name) => name === 'prices');
  return quoteOne(rig, PLATFORM, 'USDT');
}

async function checkKeys(rig: WorkerRig): Promise<void> {
  await rig.own.pool.query(`update exchange_accounts set check_due_at = '-infinity'`);
  await drain(rig, (name) => name === 'exchange keys');
}

/** Pays at the exchange account: exactly, pending until it fails, and once so that the payment is gone for a while. */
export async function payAtExchange(rig: WorkerRig): Promise<void> {
  const { fake } = rig.exchange;
  await pollAfter(rig, MINUTE_MS);
  const quotes = [await quoteAtExchange(rig), await quoteAtExchange(rig)];
  await pollAfter(rig, MINUTE_MS);
  const [paid, failing] = quotes.map(({ toAddress, tokenAmount: amount }, place) =>
    fake.pay(toAddress, {
      token: 'USDT',
      amount,
      way: place === 0 ? 'internal' : 'second',
      state: place === 0 ? 'final' : 'pending',
    }),
  );
  if (!paid || !failing) throw new Error('Nothing was paid.');
  await pollAfter(rig, MINUTE_MS);
  fake.settle(failing.id, 'failed');
  fake.vanish(paid.id);
  await pollAfter(rig, MINUTE_MS);
  await pollAfter(rig, GONE_MS);
  fake.restore(paid.id);
  await pollAfter(rig, MINUTE_MS);
}

/** Has the platform refuse a key, widen another's rights, and ban our address. */
export async function troubleExchange(rig: WorkerRig): Promise<void> {
  const { fake, account } = rig.exchange;
  await quoteAtExchange(rig);
  account.change({ active: false });
  await pollAfter(rig, MINUTE_MS);
  account.change({ active: true });
  account.grant('enableWithdrawals');
  await checkKeys(rig);
  account.revoke('enableWithdrawals');
  await checkKeys(rig);
  fake.misbehave({ kind: 'ban', retryAfterSeconds: BAN_SECONDS, times: 1 });
  await pollAfter(rig, MINUTE_MS);
  await pollAfter(rig, BAN_SECONDS * 1_000);
}

/** Gives an account up that an invoice waits for. */
export async function giveUpAccount(rig: WorkerRig): Promise<void> {
  const another = await rig.exchange.addAnother();
  await rig.own.pool.query(`update exchange_accounts set fault = 'rig', faulty_since = now() where account <> $1`, [
    another,
  ]);
  await quoteAtExchange(rig);
  await pollAfter(rig, MINUTE_MS);
  const decision = { network: PLATFORM, account: another, reason: 'rig' };
  await removeExchangeAccount({ database: rig.own, clock: rig.clock }, TESTER, decision);
  await pollAfter(rig, MINUTE_MS);
  await rig.own.pool.query(`update exchange_accounts set fault = null, faulty_since = null`);
}
