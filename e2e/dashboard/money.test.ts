import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser, Page } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { creditStore, seedFees, useKey } from '../../apps/server/rig/stores/seed-money.ts';
import { audit, auditFigures } from './audit.ts';
import { expectTitle, fill, press, pressIn, visitAsOwner } from './person.ts';

/** Stores, the ends of their keys, their looks, their balances and mails, as an owner goes through them. */

let site: AppSite;
let browser: Browser;
let store: string;
beforeAll(async () => {
  [site, browser] = await Promise.all([openAppSite(inject('template')), launchBrowser()]);
  const made = await site.owner.browser.send('POST', `/accounts/${site.account}/stores`, {
    name: 'Bean Club',
    mode: 'live',
  });
  store = String(made.body.data?.['merchant_id']);
  await creditStore(site, store, { microUsd: 184_200_000n, note: 'Bank transfer' });
  await seedFees(site, store, 10);
  await useKey(site, store, 106);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const at = (path: string) => `${site.dashboardUrl}/m/${site.account}${path}`;

/** An old key that ends before its time, and a present one that ends at once only by the store's name. */
async function renewKeys(page: Page): Promise<void> {
  await page.goto(at('/stores'));
  await page.getByText('Last used: Today').waitFor();
  await page.getByText('$184.20').waitFor();
  await audit(page, 'stores');
  await press(page, 'Regenerate API key of Bean Club');
  await page.getByText('212 calls today and yesterday').waitFor();
  await pressIn(page, 'Regenerate key');
  await page.getByText(/Both keys work until/).waitFor();
  await pressIn(page, 'Done');
  await press(page, 'End now: End the old key of Bean Club now');
  await audit(page, 'end the old key');
  await pressIn(page, 'End old key');
  await page.getByText('Never used').waitFor();

  await useKey(site, store, 3);
  await page.goto(at(`/stores/${store}/keys`));
  await page.getByText(/^Ended /).waitFor();
  await audit(page, 'keys');
  await press(page, 'Regenerate key');
  await page.getByText('6 calls today and yesterday').waitFor();
  await page.getByRole('radio', { name: /^Now/ }).check();
  await pressIn(page, 'Regenerate key');
  await page.getByText('Write the store’s name exactly as it stands above.').waitFor();
  await audit(page, 'regenerate now');
  await fill(page, 'Type Bean Club to confirm', 'Bean Club');
  await pressIn(page, 'Regenerate key');
  await page.getByText(/The old key .+ works no more/).waitFor();
  await pressIn(page, 'Done');
}

/** Settings, the switch, and the look with a logo. */
async function setUpStore(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'General' }).click();
  await fill(page, 'Lifetime, in minutes', '5');
  await press(page, 'Save changes');
  await page.getByText('From 10 to 1440 whole minutes.').waitFor();
  await audit(page, 'settings with a fault');
  await fill(page, 'Lifetime, in minutes', '45');
  await page.getByRole('switch', { name: 'Webhooks to https only' }).click();
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  expect(await page.getByLabel('Lifetime, in minutes').inputValue()).toBe('45');
  await press(page, 'Switch off');
  await audit(page, 'switch off');
  await pressIn(page, 'Switch off');
  await page.getByText('New invoices are refused. Open ones still complete and notify.').waitFor();
  await press(page, 'Switch on');
  await pressIn(page, 'Switch on');
  await page.getByText('The store takes new invoices.').waitFor();

  await page.getByRole('link', { name: 'Brand' }).click();
  await fill(page, 'Shown name', 'The Bean Club');
  await fill(page, 'Colour', '#1b6e4f');
  await fill(page, 'Support page', 'http://beanclub.example');
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } });
  await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: picture });
  await page.getByText('A new logo, not saved yet').waitFor();
  await press(page, 'Save changes');
  await page.getByText('Write an address that payers can open', { exact: false }).waitFor();
  await fill(page, 'Support page', 'https://beanclub.example/help');
  await press(page, 'Save changes');
  await page.getByText('A logo is set').waitFor();
  await audit(page, 'brand');
}

/** What a month cost, and from when on the balance is low. */
async function watchBalance(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Balance' }).first().click();
  await page.getByRole('link', { name: 'Bean Club' }).click();
  await expectTitle(page, 'Balance of Bean Club');
  await page.getByText('+$184.20').waitFor();
  await page.getByLabel('Below an amount').check();
  await fill(page, 'Amount in USD', '25');
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
  await audit(page, 'balance with fees');
}

test('an owner ends keys, sets a store up, says when its balance is low, and chooses mails', async () => {
  const startedMs = performance.now();
  const visit = await visitAsOwner(browser, site);
  const { page } = visit;
  await renewKeys(page);
  await setUpStore(page);
  await watchBalance(page);

  // Mails: a switch is saved at once, and stays.
  await page.goto(`${site.dashboardUrl}/me/notifications`);
  const balance = page.getByRole('switch', { name: 'A balance runs low' });
  await balance.click();
  await page.getByRole('switch', { name: 'A balance runs low', checked: false }).waitFor();
  await page.reload();
  await page.getByRole('switch', { name: 'A balance runs low', checked: false }).waitFor();
  await audit(page, 'mails');

  expect(visit.faults).toEqual([]);
  const money_seconds = Math.round((performance.now() - startedMs) / 1_000);
  process.stdout.write(`${JSON.stringify({ money_seconds, ...auditFigures() })}\n`);
});
