import type { Database } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { FakeAccount, FakeExchange } from '../../rig/exchanges/fake-exchange.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';

/** Stores with an exchange account at every platform. */

/** A store's exchange account at a platform: where an invoice is paid. */
export type Place = { network: string; fake: FakeExchange; store: TestStore; account: FakeAccount };

/** Lifetime of invoices in minutes. An invoice that ends soon is created with an earlier time. */
export const LIFETIME_MINUTES = 1_440;
const CREDIT_MICRO_USD = 1_000_000_000_000n;

type AddingContext = { database: Database; clock: Clock };

/** The context in which exchange accounts are added, with one request gate: adding must keep to the platforms' quotas. */
export function addingContext({ database, clock }: AddingContext) {
  const statements = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }) });
  return { database, clock, networks: NETWORKS, statements, anyBaseUrl: true, jobs: undefined };
}

/**
 * Opens the given number of exchange accounts, of stores that have an exchange account at each platform.
 */
export async function openPlaces(
  { database, clock }: AddingContext,
  fakes: readonly FakeExchange[],
  accounts: number,
): Promise<{ places: Place[]; ring: KeyRing }> {
  const adding = addingContext({ database, clock });
  const places: Place[] = [];
  while (places.length < accounts) {
    const options = { clock, wallet: false, lifetimeMinutes: LIFETIME_MINUTES, creditMicroUsd: CREDIT_MICRO_USD };
    const store = await openStore(database, options);
    const context = { ...adding, ring: store.ring };
    const opened = fakes.slice(0, accounts - places.length).map(async (fake): Promise<Place> => {
      const account = fake.openAccount();
      const network = `EXCHANGE_PAY:${fake.platform}`;
      const { credentials } = account;
      await addExchangeAccount(context, TESTER, { store: store.ref, network, baseUrl: fake.url, credentials });
      return { network, fake, store, account };
    });
    places.push(...(await Promise.all(opened)));
  }
  const [first] = places;
  if (!first) throw new Error('There is no account.');
  return { places, ring: first.store.ring };
}
