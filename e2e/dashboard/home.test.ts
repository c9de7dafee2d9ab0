import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { deadUrl } from '../../apps/server/rig/fakes/listen.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { seedDays } from '../../apps/server/rig/stores/seed-days.ts';
import { audit, auditFigures } from './audit.ts';
import type { Visit } from './person.ts';
import { expectTitle, fill, press, pressIn, readClipboard, SOON, visitAsOwner } from './person.ts';

let site: AppSite;
let browser: Browser;
let visit: Visit;
beforeAll(async () => {
  const allowed = { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' };
  [site, browser] = await Promise.all([
    openAppSite(inject('template'), 'Northwind Trading', allowed, allowed),
    launchBrowser(),
  ]);
  visit = await visitAsOwner(browser, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const BSC = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);
const clipboard = () => readClipboard(visit.page);
const started = performance.now();

async function storeNamed(name: string): Promise<string> {
  const { rows } = await site.database.pool.query<{ merchant_id: string }>(
    'select merchant_id from stores where name = $1',
    [name],
  );
  return rows[0]?.merchant_id ?? '';
}

const open = (path: string) => visit.page.goto(`${site.dashboardUrl}/m/${site.account}${path}`);

test('the checklist leads from a first store to a test payment and a webhook', async () => {
  const { page } = visit;
  await page.goto(site.dashboardUrl);
  await expectTitle(page, 'Get your first payment');
  await page.getByText('0 of 7 done').waitFor();
  await audit(page, 'checklist');

  // The first step creates a store, and ends where its codes are.
  await press(page, 'New store');
  await fill(page, 'Store', 'Harbour Books');
  await pressIn(page, 'Create store');
  await expectTitle(page, 'Connect Harbour Books');
  const store = await storeNamed('Harbour Books');
  await audit(page, 'connect a test store');
  await press(page, 'Copy with key');
  await page.getByText('Copied').first().waitFor();
  expect(await clipboard()).toMatch(new RegExp(`x-api-key: cf_test_\\w{20,}[\\s\\S]*"merchant_id": "${store}"`));
  await press(page, 'Node.js');
  await press(page, 'Copy');
  expect(await clipboard()).toContain("'x-api-key': process.env.COUNTERFOIL_KEY");
  await press(page, 'Copy signing secret of Harbour Books');
  await expect.poll(clipboard, SOON).toMatch(/^whsec_/);
  expect(await page.content()).not.toContain(await clipboard());

  // A test invoice whose payment page is opened, and an undelivered event.
  await press(page, 'Create test invoice');
  const checkout = page.getByRole('link', { name: 'Open test checkout' });
  await checkout.waitFor();
  expect(await checkout.getAttribute('href')).toMatch(/\/bill\/TID-\w{16}$/);
  await fill(page, 'Webhook URL', `${await deadUrl()}/webhooks`);
  await press(page, 'Send test event');
  await page.getByText('Your server rejected the event').waitFor();
  await audit(page, 'a test event that nobody took');

  await open('');
  await page.getByText('1 of 7 done').waitFor();
  await page.getByRole('button', { name: 'Create test invoice' }).waitFor();
  await audit(page, 'checklist at the test payment');
  await seedDays(site.database.pool, store, { days: 40, sandbox: true });
  await query(`update endpoints set answered_at = now()`);
  await page.reload();
  await page.getByText('3 of 7 done').waitFor();
  await page.getByRole('list').getByRole('link', { name: 'Add a two-factor method' }).waitFor();
  await page.getByRole('link', { name: 'Show test figures' }).click();
  await expectTitle(page, 'Home');
  await page.getByText('You are viewing a test store.').waitFor();
  await page.getByRole('img', { name: /^Paid volume per day/ }).waitFor();
  await audit(page, 'test figures');
  expect(visit.faults).toEqual([]);
});

test('figures, chart and queue lead to what is behind them', async () => {
  const { page } = visit;
  await site.owner.browser.send('POST', `/accounts/${site.account}/stores`, { name: 'Coffee Roasters', mode: 'live' });
  const store = await storeNamed('Coffee Roasters');
  await seedDays(site.database.pool, store, { days: 75 });
  await query(
    `insert into endpoints (store_id, url, host, failures, failing_since)
     select id, 'https://shop.test/hook', 'shop.test', 3, now() from stores where merchant_id = $1`,
    [store],
  );
  await query(
    `update balances set available_micro_usd = 12400000 where store_id = (select id from stores where merchant_id = $1)`,
    [store],
  );
  await open('');
  await expectTitle(page, 'Home');
  const chart = page.getByRole('img', { name: /^Paid volume per day, .* today \$/ });
  await chart.waitFor();
  expect(await chart.locator('rect.bar').count()).toBe(29);
  await page.getByRole('link', { name: /Paid volume \$\d/ }).waitFor();
  const invoices = await page.getByRole('link', { name: /^Paid volume/ }).getAttribute('href');
  expect(invoices).toMatch(
    new RegExp(`/m/${site.account}/invoices\\?from=\\d+&to=\\d+&store=${store}&status=completed$`),
  );
  const view = page.getByRole('link', { name: 'View: Webhooks to Coffee Roasters are failing' });
  expect(await view.getAttribute('href')).toContain(`/webhooks?store=${store}`);
  const method = await page.getByRole('link', { name: 'USDT on Tron' }).getAttribute('href');
  expect(method).toMatch(/network=TRC20&token=USDT/);
  await audit(page, 'home');

  await press(page, 'Show as table');
  expect(await page.getByRole('region', { name: 'Volume per day as a table' }).getByRole('row').count()).toBe(31);
  await audit(page, 'home with the table');
  await page.getByRole('link', { name: '7 days' }).click();
  await page.waitForURL(/range=week/);
  const rows = page.getByRole('region', { name: 'Volume per day as a table' }).getByRole('row');
  await expect.poll(() => rows.count(), SOON).toBe(8);

  // A language that is chosen in another tab shows in this one too.
  const other = await visit.context.newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: /Person \d/ }).click();
  await other.getByRole('menuitem', { name: 'العربية' }).click();
  await page.waitForFunction(() => document.documentElement.dir === 'rtl');
  await other.getByRole('button', { name: /Person \d/ }).click();
  await other.getByRole('menuitem', { name: 'English' }).click();
  await page.waitForFunction(() => document.documentElement.lang === 'en');
  await other.close();
  expect(visit.faults).toEqual([]);
});

test('the language that was chosen last is shown, even when the one before it takes longer to load', async () => {
  const { page } = visit;
  await open('');
  await expectTitle(page, 'Home');
  const choose = (language: string) =>
    page.evaluate((newValue) => {
      const key = 'counterfoil.language';
      localStorage.setItem(key, newValue);
      dispatchEvent(new StorageEvent('storage', { key, newValue }));
    }, language);
  const release = Promise.withResolvers<void>();
  let held = 0;
  await page.route('**/*.js', async (route) => {
    held += 1;
    await release.promise;
    await route.continue();
  });
  await choose('es');
  await expect.poll(() => held, SOON).toBeGreaterThan(0);
  await choose('en');
  release.resolve();
  await page.waitForLoadState('networkidle');
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
  await page.unrouteAll();
});

test('the wizard names what is wrong with an address, and guides to a key that can only read', async () => {
  const { page } = visit;
  const store = await storeNamed('Coffee Roasters');
  await open(`/stores/${store}/methods`);
  await page.getByRole('button', { name: 'Add a wallet' }).first().click();
  await audit(page, 'wizard: network');
  await page.getByLabel('BNB Smart Chain').check();
  await pressIn(page, 'Continue');
  await page.getByRole('heading', { name: /Your address on BNB Smart Chain/ }).waitFor();
  await fill(page, 'Address', TRON);
  await page.getByText('This is a Tron address. Enter an address on BNB Smart Chain.').waitFor();
  await audit(page, 'wizard: an address of another network');
  await fill(page, 'Address', BSC.replace('8894E', '8894e'));
  await page.getByText('A character is wrong').waitFor();
  await fill(page, 'Address', BSC.slice(0, 20));
  await page.getByText('20 of 42 characters').waitFor();
  await fill(page, 'Address', BSC);
  await page.getByText('A complete address on BNB Smart Chain').waitFor();
  await audit(page, 'wizard: address');
  await pressIn(page, 'Continue');
  await pressIn(page, 'Add wallet');
  await page.getByText('Select this after you have compared the address.').waitFor();
  await audit(page, 'wizard: confirmation');
  await pressIn(page, 'Back');
  await pressIn(page, 'Back');
  await page.getByLabel('Exchange account').check();
  await pressIn(page, 'Continue');
  await press(page, 'OKX');
  await page.getByText('Give the key, secret and passphrase').waitFor();
  await audit(page, 'wizard: exchange account');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Add a wallet');
  expect(visit.faults).toEqual([]);
  const home_seconds = Math.round((performance.now() - started) / 1_000);
  process.stdout.write(`${JSON.stringify({ home_seconds, ...auditFigures() })}\n`);
});
