import type { Database } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { TestStore } from '../stores/open-store.ts';
import { TESTER } from '../stores/open-store.ts';
import type { FakeAccount, FakeExchange } from './fake-exchange.ts';

/** Opens an exchange account at a fake platform and lets a store receive there. `database` connects as the administrator. */
export async function receiveAt(
  { database, clock }: { database: Database; clock: Clock },
  fake: FakeExchange,
  store: TestStore,
): Promise<FakeAccount> {
  const account = fake.openAccount();
  const statements = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }) });
  const context = {
    database,
    clock,
    networks: NETWORKS,
    statements,
    ring: store.ring,
    anyBaseUrl: true,
    jobs: undefined,
  };
  const network = `EXCHANGE_PAY:${fake.platform}`;
  await addExchangeAccount(context, TESTER, {
    store: store.ref,
    network,
    baseUrl: fake.url,
    credentials: account.credentials,
  });
  return account;
}
