import type { Page } from 'playwright-core';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { creditStore, offerTopups, seedFees, useKey } from '../../server/rig/stores/seed-money.ts';
import type { Shot } from './shot.ts';

/** Pictures of stores, balances, exports and mails. */

const LONG_NAME = 'Northwind Coffee Roasters and Tea Merchants of the Old Harbour';
const HUGE_MICRO_USD = 123_456_789_012_345_678n;
const FEE_DAYS = 60;

type Money = { live: string; low: string; long: string; test: string };

/** Stores with much, little and huge money; keys in use; a file that is ready. */
export async function prepareMoney(site: AppSite): Promise<Money> {
  const { owner, account } = site;
  const send = async (method: string, path: string, body?: unknown) =>
    (await owner.browser.send(method, `/accounts/${account}${path}`, body)).body.data ?? {};
  const open = async (name: string, mode: 'live' | 'test') =>
    String((await send('POST', '/stores', { name, mode }))['merchant_id']);
  await offerTopups(site);
  const live = await open('Bean Club', 'live');
  const low = await open('Wholesale', 'live');
  const long = await open(LONG_NAME, 'live');
  const test = await open('Test shop', 'test');
  await creditStore(site, live, { microUsd: 184_200_000n, note: 'Bank transfer of 3 November' });
  await creditStore(site, live, { microUsd: -420_000n, note: 'Correction of a double credit' });
  await creditStore(site, low, { microUsd: 12_401_250n, note: 'Welcome' });
  await creditStore(site, long, { microUsd: HUGE_MICRO_USD, note: `A note without spaces: ${'W'.repeat(90)}` });
  await seedFees(site, live, FEE_DAYS);
  await seedFees(site, low, FEE_DAYS);
  await useKey(site, live, 106);
  await send('POST', `/stores/${low}/key`, { overlap_hours: 24 });
  for (const kind of ['statement', 'invoices']) await send('POST', '/exports', { kind });
  await send('PUT', `/stores/${live}/brand`, {
    display_name: 'The Bean Club',
    accent: '#1b6e4f',
    support_url: 'https://beanclub.example/help',
    support_email: 'help@beanclub.example',
  });
  return { live, low, long, test };
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

async function endOldKey(page: Page): Promise<void> {
  await page.getByText('Wholesale').scrollIntoViewIfNeeded();
  await press('End now: End the old key of Wholesale now')(page);
}

async function regenerateNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Regenerate API key of Bean Club' }).click();
  await page.getByText('calls today and yesterday').waitFor();
  await page.getByRole('radio', { name: /^Now/ }).check();
}

async function showFailure(page: Page): Promise<void> {
  await page.route('**/api/dashboard/**/exports*', (route) =>
    route.fulfill({ status: 500, json: { status: 'error', error_code: 'INTERNAL_ERROR', request_id: 'aB3dE5fG7hJ9' } }),
  );
  await page.reload();
  await page.getByText('We could not load this').waitFor();
}

async function openTopup(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Go to checkout' }).click();
  await page.getByText('Waiting for the payment').waitFor();
}

export function moneyShots({ account }: AppSite, { live, low, long, test }: Money): Shot[] {
  const base = `/m/${account}`;
  return [
    { name: 'money-stores', path: `${base}/stores` },
    {
      name: 'money-regenerate',
      path: `${base}/stores`,
      before: press('Regenerate API key of Bean Club'),
    },
    { name: 'money-regenerate-now', path: `${base}/stores`, before: regenerateNow },
    { name: 'money-end-key', path: `${base}/stores`, before: endOldKey },
    { name: 'money-general', path: `${base}/stores/${live}` },
    { name: 'money-general-long', path: `${base}/stores/${long}` },
    { name: 'money-brand', path: `${base}/stores/${live}/brand` },
    { name: 'money-keys', path: `${base}/stores/${low}/keys` },
    { name: 'money-test', path: `${base}/stores/${test}` },
    { name: 'money-balances', path: `${base}/balance` },
    { name: 'money-balance', path: `${base}/balance/${live}` },
    { name: 'money-balance-low', path: `${base}/balance/${low}` },
    { name: 'money-balance-huge', path: `${base}/balance/${long}` },
    { name: 'money-balance-test', path: `${base}/balance/${test}` },
    { name: 'money-topup', path: `${base}/balance/${live}?topup=new` },
    { name: 'money-topup-open', path: `${base}/balance/${live}?topup=new`, before: openTopup },
    { name: 'money-exports', path: `${base}/exports` },
    { name: 'money-export-new', path: `${base}/exports?new=statement` },
    { name: 'money-export-check', path: `${base}/exports`, before: press('Check') },
    { name: 'money-export-error', path: `${base}/exports`, before: showFailure },
    { name: 'money-mails', path: '/me/notifications' },
  ];
}
