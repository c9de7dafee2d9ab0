import type { Page } from 'playwright-core';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { creditStore, offerTopups, seedFees, useKey } from '../../server/rig/stores/seed-money.ts';
import type { Shot } from './shot.ts';
import { press } from './shot.ts';
import type { Stores, World } from './world.ts';

/** Money of the stores, and pictures of what is done about keys, balances and exports. */

const HUGE_MICRO_USD = 123_456_789_012_345_678n;
const FEE_DAYS = 60;

/** Money that is plenty, little and huge; keys in use; files that are ready. */
export async function prepareMoney(site: AppSite, { bean, wholesale, long }: Stores): Promise<void> {
  const { owner, account } = site;
  const send = (method: string, path: string, body: unknown) =>
    owner.browser.send(method, `/accounts/${account}${path}`, body);
  await offerTopups(site);
  await creditStore(site, bean, { microUsd: 184_200_000n, note: 'Bank transfer of 3 November' });
  await creditStore(site, bean, { microUsd: -420_000n, note: 'Correction of a double credit' });
  await creditStore(site, wholesale, { microUsd: -987_598_750n, note: 'Paid back to the bank account' });
  await creditStore(site, long, { microUsd: HUGE_MICRO_USD, note: `A note without spaces: ${'W'.repeat(90)}` });
  await seedFees(site, bean, FEE_DAYS);
  await seedFees(site, wholesale, FEE_DAYS);
  await useKey(site, bean, 106);
  await send('POST', `/stores/${wholesale}/key`, { overlap_hours: 24 });
  for (const kind of ['statement', 'invoices']) await send('POST', '/exports', { kind });
  await send('PUT', `/stores/${bean}/brand`, {
    display_name: 'The Bean Club',
    accent: '#1b6e4f',
    support_url: 'https://beanclub.example/help',
    support_email: 'help@beanclub.example',
  });
}

async function endOldKey(page: Page): Promise<void> {
  await page.getByText('Wholesale').first().scrollIntoViewIfNeeded();
  await press('Revoke now: Revoke the old key of Wholesale now')(page);
}

async function regenerateNow(page: Page): Promise<void> {
  await press('Rotate key of Bean Club')(page);
  await page.getByText('calls today and yesterday').waitFor();
  await page.getByRole('radio', { name: /^Now/ }).check();
}

async function openTopup(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Go to checkout' }).click();
  await page.getByText('Waiting for the payment').waitFor();
}

export const moneyShots = ({ base, stores: { bean, wholesale } }: World): Shot[] => [
  { name: 'stores-new', path: `${base}/stores`, before: press('New store') },
  { name: 'stores-regenerate', path: `${base}/stores`, before: press('Rotate key of Bean Club') },
  { name: 'stores-regenerate-now', path: `${base}/stores`, before: regenerateNow },
  { name: 'stores-end-key', path: `${base}/stores`, before: endOldKey },
  { name: 'step-up', path: `${base}/stores`, who: 'admin', before: press('Copy API key of Bean Club') },
  { name: 'balance-low', path: `${base}/balance/${wholesale}` },
  { name: 'balance-topup', path: `${base}/balance/${bean}?topup=new` },
  { name: 'balance-topup-open', path: `${base}/balance/${bean}?topup=new`, before: openTopup },
  { name: 'exports-new', path: `${base}/exports?new=statement` },
  { name: 'exports-check', path: `${base}/exports`, before: press('Verify file') },
];
