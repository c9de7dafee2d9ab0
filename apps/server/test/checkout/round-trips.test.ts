import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { followNetwork, setPrices } from '../../rig/site/market.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { ask, newInvoice, openApiSite, postJson } from '../../rig/site/api-site.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Counts the statements of a selection on the connections of a real server process. */

const MAX_ROUND_TRIPS = 8;
/** Requests to take the least of: the process may also refresh data that all pages share. */
const REQUESTS = 5;
const SOLANA_ADDRESS = '7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q';

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'));
  await followNetwork(rig.database, 'SOL');
  const wallet = { store: rig.store.ref, network: 'SOL', address: SOLANA_ADDRESS };
  await addWallet({ networks: NETWORKS, database: rig.database, clock: systemClock, jobs: undefined }, TESTER, wallet);
});
afterAll(() => rig.close());

/** Each scrape of `/metrics` sends one statement of its own, for `counterfoil_database_up`. */
const STATEMENTS_OF_A_SCRAPE = 1;

async function countStatements(): Promise<number> {
  const text = await (await fetch(`${rig.server.operationsUrl}/metrics`)).text();
  return Number(/^counterfoil_database_statements_total (\d+)$/m.exec(text)?.[1]);
}

async function roundTripsOf(request: () => Promise<Response>): Promise<number> {
  const before = await countStatements();
  const response = await request();
  const { view } = (await response.json()) as { view: CheckoutView };
  expect(view.step).toBe('pay');
  return (await countStatements()) - before - STATEMENTS_OF_A_SCRAPE;
}

test.each(['BSC', 'SOL'])(
  'a selection on %s takes at most 8 round trips, with all that its request reads before and after',
  async (network) => {
    const [opened, shown]: [number[], number[]] = [[], []];
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const transId = await newInvoice(rig);
      await setPrices(rig.database);
      await ask(rig, `/bill/${transId}`);
      const select = () => postJson(rig, `/bill/${transId}/select`, { network, token: 'USDT' });
      opened.push(await roundTripsOf(select));
      shown.push(await roundTripsOf(select));
    }
    expect(Math.min(...opened)).toBeLessThanOrEqual(MAX_ROUND_TRIPS);
    expect(Math.min(...shown)).toBeLessThan(MAX_ROUND_TRIPS);
  },
);
