import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser, Page } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { creditStore, offerTopups, payTopup, seedFees, useKey } from '../../apps/server/rig/stores/seed-money.ts';
import { audit, expectTitle, fill, openVisit, press, pressIn } from './person.ts';

/** Stores, their keys and looks, balances with a top-up, exports and mails, as an owner goes through them. */

const CHECKOUT_URL = 'https://pay.example';

let site: AppSite;
let browser: Browser;
let store: string;
beforeAll(async () => {
  const settings = { COUNTERFOIL_CHECKOUT_URL: CHECKOUT_URL };
  [site, browser] = await Promise.all([
    openAppSite(inject('template'), 'Northwind Trading', settings),
    launchBrowser(),
  ]);
  await offerTopups(site);
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

async function openOwnersPage(): Promise<Awaited<ReturnType<typeof openVisit>>> {
  const visit = await openVisit(browser, site.dashboardUrl);
  const [name = '', value = ''] = site.owner.browser.cookie.split('=');
  await visit.context.addCookies([{ name, value, url: site.dashboardUrl }]);
  return visit;
}

const at = (path: string) => `${site.dashboardUrl}/m/${site.account}${path}`;

/** A new key beside the old one, the old one ended before its time, and a key that ends at once only by its name. */
async function renewKeys(page: Page): Promise<void> {
  await page.goto(at('/stores'));
  await page.getByText('Last used: Today').waitFor();
  await page.getByText('$184.20').waitFor();
  await audit(page, 'stores');
  const opener = page.getByRole('button', { name: 'Regenerate API key of Bean Club' });
  await opener.click();
  await page.getByText('212 calls today and yesterday').waitFor();
  await audit(page, 'regenerate');
  await page.keyboard.press('Escape');
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
  await opener.click();
  await pressIn(page, 'Regenerate key');
  await page.getByText(/Both keys work until/).waitFor();
  await audit(page, 'the new key');
  await pressIn(page, 'Copy new key');
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^cf_live_\w{20,}$/);
  expect(await page.content()).not.toContain(key);
  await pressIn(page, 'Done');
  await page.getByText(/Old .+ ends in 2[34] h/).waitFor();
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

/** A top-up, from its amount to the balance. */
async function topUp(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Balance' }).first().click();
  await expectTitle(page, 'Balance');
  await page.getByText('$184.20').waitFor();
  await audit(page, 'balances');
  await page.getByRole('link', { name: 'Bean Club' }).click();
  await expectTitle(page, 'Balance of Bean Club');
  await page.getByText('+$184.20').waitFor();
  await audit(page, 'balance');
  await page.getByRole('link', { name: 'Top up' }).click();
  await press(page, '$50');
  await page.getByText('$234.20').waitFor();
  await audit(page, 'top-up');
  await pressIn(page, 'Go to checkout');
  await page.getByText(/Waiting for the payment/).waitFor();
  const link = page.getByRole('link', { name: 'Go to checkout' });
  expect(await link.getAttribute('href')).toMatch(/^https:\/\/pay\.example\/bill\/TID-/);
  await audit(page, 'top-up that waits');
  await payTopup(site, new URL(page.url()).searchParams.get('topup') ?? '');
  await page.getByText('+$50.00 is in the balance').waitFor();
  await pressIn(page, 'Done');
  await page.getByText(/^\+\$50\.00/).waitFor();
  await page.getByText('$234.20').waitFor();

  await page.getByLabel('Below an amount').check();
  await fill(page, 'Amount in USD', '25');
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
}

/** A file that is made while one looks, fetched, and has the hash that the page names. */
async function exportStatement(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Exports' }).first().click();
  await page.getByText('No exports yet').waitFor();
  await audit(page, 'no exports');
  await press(page, 'New export');
  await page.getByLabel('Statement').check();
  await page.getByLabel('Period').selectOption('all');
  await audit(page, 'new export');
  await pressIn(page, 'Make file');
  await page.getByText('Ready', { exact: true }).waitFor();
  await audit(page, 'exports');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^counterfoil-statement-EXP-\w+\.csv$/);
  expect(await readFile(await download.path(), 'utf8')).toContain('Bank transfer');
  await press(page, 'Check');
  await page.getByText(/node verify-export\.mjs .+ --sha256 [0-9a-f]{64}/).waitFor();
  await audit(page, 'check a file');
  await pressIn(page, 'Done');
}

test('an owner renews keys, sets a store up, tops up, exports, and chooses mails', async () => {
  const startedMs = performance.now();
  const visit = await openOwnersPage();
  const { page } = visit;
  await renewKeys(page);
  await setUpStore(page);
  await topUp(page);
  await exportStatement(page);

  // Mails: a switch is saved at once, and stays.
  await page.goto(`${site.dashboardUrl}/me/notifications`);
  const balance = page.getByRole('switch', { name: 'A balance runs low' });
  await balance.click();
  await page.getByRole('switch', { name: 'A balance runs low', checked: false }).waitFor();
  await page.reload();
  await page.getByRole('switch', { name: 'A balance runs low', checked: false }).waitFor();
  await audit(page, 'mails');

  await page.evaluate(() => localStorage.setItem('counterfoil.language', 'ar'));
  await page.goto(at(`/balance/${store}`));
  await page.getByRole('table').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
  await audit(page, 'balance in Arabic');
  expect(visit.faults).toEqual([]);
  process.stdout.write(`${JSON.stringify({ money_seconds: Math.round((performance.now() - startedMs) / 1_000) })}\n`);
});
