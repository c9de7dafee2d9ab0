import type { Page } from 'playwright-core';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { seedDays } from '../../server/rig/stores/seed-days.ts';
import type { Shot } from './shot.ts';

/** Pictures of the first page, of the page that connects a shop, and of the wizard for a wallet. */

const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

type Stores = { live: string; test: string };

const query = (site: AppSite, text: string, values: unknown[]) => site.database.pool.query(text, values);

async function storeOf(site: AppSite, mode: 'live' | 'test'): Promise<string> {
  const { rows } = await site.database.pool.query<{ merchant_id: string }>(
    'select merchant_id from stores where live = $1 order by id limit 1',
    [mode === 'live'],
  );
  return rows[0]?.merchant_id ?? '';
}

/** The stores that are there already get figures and something that needs a hand. */
export async function prepareHome(site: AppSite): Promise<Stores> {
  const stores = { live: await storeOf(site, 'live'), test: await storeOf(site, 'test') };
  await seedDays(site.database.pool, stores.live, { days: 75 });
  await query(
    site,
    `insert into endpoints (store_id, url, host, failures, failing_since)
     select id, 'https://shop.test/hook', 'a-receiver-with-a-long-name.shop.test', 3, now() - interval '3 hours'
     from stores where merchant_id = $1`,
    [stores.live],
  );
  await query(
    site,
    `update balances set available_micro_usd = 12400000 where store_id = (select id from stores where merchant_id = $1)`,
    [stores.live],
  );
  return stores;
}

/** The steps of the wizard up to one of them. */
const wizard =
  (address?: string, steps = 1) =>
  async (page: Page) => {
    await page.getByRole('button', { name: 'Add a wallet' }).first().click();
    if (address === undefined) return;
    for (let step = 0; step < steps; step += 1) {
      await page.getByRole('button', { name: 'Continue' }).click();
      if (step === 0) await page.getByLabel('Address', { exact: true }).fill(address);
    }
  };

const exchange = async (page: Page) => {
  await wizard()(page);
  await page.getByLabel('Exchange account').check();
  await page.getByRole('button', { name: 'Continue' }).click();
};

const broken = async (page: Page) => {
  await page.route('**/api/dashboard/**/home?*', (route) =>
    route.fulfill({ status: 500, json: { status: 'error', error_code: 'INTERNAL_ERROR', request_id: 'aB3dE5fG7hJ9' } }),
  );
  await page.reload();
  await page.getByText('We could not load this').waitFor();
};

/** Before there are figures: the checklist. */
export const newHomeShots = ({ account }: AppSite): Shot[] => [{ name: 'home-new', path: `/m/${account}` }];

export function homeShots({ account }: AppSite, { live, test }: Stores): Shot[] {
  const base = `/m/${account}`;
  return [
    { name: 'home', path: base },
    { name: 'home-test', path: `${base}?mode=test` },
    {
      name: 'home-table',
      path: `${base}?range=week`,
      before: (page) => page.getByRole('button', { name: 'Show as table' }).click(),
    },
    { name: 'home-error', path: base, before: broken },
    { name: 'start-live', path: `${base}/stores/${live}/start` },
    {
      name: 'start-test',
      path: `${base}/stores/${test}/start`,
      before: (page) => page.getByRole('button', { name: 'Create test invoice' }).click(),
    },
    { name: 'wallet-network', path: `${base}/stores/${live}/methods`, before: wizard() },
    { name: 'wallet-foreign', path: `${base}/stores/${live}/methods`, before: wizard(TRON) },
    { name: 'wallet-address', path: `${base}/stores/${live}/methods`, before: wizard(ADDRESS) },
    { name: 'wallet-confirm', path: `${base}/stores/${live}/methods`, before: wizard(ADDRESS, 2) },
    { name: 'wallet-exchange', path: `${base}/stores/${live}/methods`, before: exchange },
  ];
}
