import type { Database } from '../../src/db/database.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import type { RequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { savePause } from '../../src/wallets/exchange-account-sql.ts';
import type { StatementSources } from '../../src/wallets/statement-sources.ts';
import { NETWORKS } from '../chains/networks.ts';
import { startBinanceServer } from '../exchanges/binance-server.ts';
import type { FakeAccount, FakeExchange } from '../exchanges/fake-exchange.ts';
import type { TestStore } from '../stores/open-store.ts';
import { TESTER } from '../stores/open-store.ts';

/** An exchange account of the worker rig's store at a fake platform. */

export const PLATFORM = 'EXCHANGE_PAY:BINANCE';

export type RiggedExchange = {
  fake: FakeExchange;
  account: FakeAccount;
  statements: StatementSources;
  gate: RequestGate;
  /** Lets the store receive in another exchange account, and returns the id of that exchange account. */
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
    wait: (ms) => clock.wait(ms),
    onPause: ({ baseUrl, untilMs }) => void savePause(recorded.queries, baseUrl, new Date(untilMs), 'rig'),
  });
  const statements = createStatementSources(NETWORKS, { clock, gate });
  const context = {
    database: own,
    clock,
    networks: NETWORKS,
    statements,
    ring: store.ring,
    anyBaseUrl: true,
    jobs: undefined,
  };
  const add = async (account: FakeAccount) => {
    const input = { store: store.ref, network: PLATFORM, baseUrl: fake.url, credentials: account.credentials };
    return (await addExchangeAccount(context, TESTER, input)).account;
  };
  const account = fake.openAccount();
  await add(account);
  return { fake, account, statements, gate, addAnother: () => add(fake.openAccount()) };
}
