import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { Browser, Page } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { giveApp, nextCode } from '../../apps/server/rig/people/make-person.ts';
import type { TradeStore } from '../../apps/server/rig/people/trade-rows.ts';
import {
  chooseMethod,
  complete,
  openTradeStore,
  placeOrder,
  receiveMoney,
  tellServer,
} from '../../apps/server/rig/people/trade-rows.ts';
import { audit, auditFigures } from './audit.ts';
import { expectFocus, expectReturned, keyboardFigures, pressAt, tabTo, write } from './keyboard.ts';
import type { Visit } from './person.ts';
import { expectTitle, openVisit, readClipboard, requireNoFaults, SOON } from './person.ts';

/** The daily way through invoices, keys and the palette by keyboard alone. */

let site: AppSite;
let browser: Browser;
let store: TradeStore;
let visit: Visit;
let page: Page;
const started = performance.now();
const orders = { paid: '', hash: '' };
beforeAll(async () => {
  [site, browser] = await Promise.all([openAppSite(inject('template')), launchBrowser()]);
  await giveApp(site.owner);
  store = await openTradeStore(site, 'Coffee Roasters');
  visit = await openVisit(browser, site.dashboardUrl);
  await visit.finger(false);
  ({ page } = visit);
});
afterAll(async () => {
  const keyboard_seconds = Math.round((performance.now() - started) / 1_000);
  process.stdout.write(`${JSON.stringify({ keyboard_seconds, ...keyboardFigures(), ...auditFigures() })}\n`);
  await browser?.close();
  await site?.close();
});
afterEach(() => requireNoFaults(visit));

const OLD_ORDERS = 60;
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });

/** Two pages of orders: many old ones, a large one, and one that is paid. */
async function placeOrders(): Promise<void> {
  const old = Array.from({ length: OLD_ORDERS }, (_, number) => ({
    name: `Old order ${number}`,
    amount: '9.5',
    minutesAgo: 300 - number,
  }));
  await Promise.all(old.map((order) => placeOrder(site, store, order)));
  await placeOrder(site, store, { name: 'Green coffee', amount: '120', minutesAgo: 60 });
  const paid = { name: 'Ethiopia Guji', amount: '49.98', requestId: 'ord_1001', minutesAgo: 45 };
  orders.paid = await placeOrder(site, store, paid);
  await chooseMethod(site, orders.paid);
  orders.hash = await receiveMoney(site, orders.paid);
  await complete(site, orders.paid);
  await tellServer(site, orders.paid, [500, 200]);
}

/** Opens the palette by its shortcut and goes to the first thing that a text finds. */
async function goByPalette(text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.type(text);
  await page.getByRole('option', { selected: true }).filter({ hasText: text }).waitFor();
  await page.keyboard.press('Enter');
}

test('a password and a code of the app are enough to come in', async () => {
  await page.goto(`${site.dashboardUrl}/sign-in`);
  await write(page, 'Email', site.owner.mail);
  await write(page, 'Password', site.owner.password);
  await page.keyboard.press('Enter');
  await page.getByText('Six digits that change every 30 seconds.').waitFor();
  await write(page, 'Code from your authenticator', nextCode(site.owner));
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
});

test('the palette leads to invoices, and an invoice is written by hand', async () => {
  const finder = page.getByRole('button', { name: /^Find anything/ });
  await pressAt(page, finder);
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.press('Escape');
  await expectReturned(finder);
  await goByPalette('Invoices');
  await expectTitle(page, 'Invoices');
  await page.getByText('No invoices yet').waitFor();

  await pressAt(page, button('Create invoice'));
  await pressAt(page, page.getByRole('dialog').getByRole('button', { name: 'Create invoice' }));
  await page.getByText('Enter an amount such as 49.98.').waitFor();
  await expectFocus(page.getByLabel('Amount in USD'));
  await audit(page, 'create an invoice');
  await page.keyboard.type('12.50');
  await write(page, 'Title', 'Two cups');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Invoice of $12.50 created' }).waitFor();
  await audit(page, 'a created invoice');
  await pressAt(page, button('Copy link'));
  await expect.poll(() => readClipboard(page), SOON).toMatch(/\/bill\/TID-\w{16}$/);
  await pressAt(page, button('Done'));
  await row('Two cups').getByText('Waiting').waitFor();
  await expectReturned(button('Create invoice'));
});

test('filters are set and taken away, and pages are turned', async () => {
  await placeOrders();
  await page.reload();
  await row('Ethiopia Guji').waitFor();
  await pressAt(page, button('Status'), 'Space');
  await expectFocus(page.locator('.chip-choice').first());
  await audit(page, 'choosing a status');
  await pressAt(page, button('Completed late'));
  await page.getByText('Nothing matches').waitFor();
  expect(page.url()).toContain('status=late');
  await expectReturned(page.getByRole('button', { name: /^Status:/ }));
  await pressAt(page, button('Clear filters'));
  await row('Ethiopia Guji').waitFor();
  await expectFocus(button('Date'));
  await pressAt(page, button('Amount'));
  await expectFocus(page.getByLabel('At least, in USD'));
  await page.keyboard.type('100');
  await page.keyboard.press('Enter');
  await row('Green coffee').waitFor();
  await expect.poll(() => page.getByRole('row').count(), SOON).toBe(2);
  await expectReturned(page.getByRole('button', { name: /^Amount:/ }));
  await pressAt(page, button('Clear the filter Amount'));
  await row('Ethiopia Guji').waitFor();
  await expectFocus(button('Amount'));
  await tabTo(page, button('Older'), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/after=/);
  await row('Two cups').waitFor();
  await pressAt(page, button('Newer'));
  await row('Ethiopia Guji').waitFor();
});

test('the drawer opens beside the list, closes to its row, and leads to the whole page', async () => {
  await tabTo(page, page.getByRole('link', { name: 'Ethiopia Guji' }));
  await page.keyboard.press('j');
  await expectFocus(page.getByRole('link', { name: 'Green coffee' }));
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: /Invoice TID-/ });
  await drawer.getByText('Ethiopia Guji').waitFor();
  await drawer.getByText('Webhook delivered, 200').waitFor();
  await audit(page, 'the drawer');
  await page.keyboard.press('c');
  await expect.poll(() => readClipboard(page), SOON).toBe(orders.paid);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await expectReturned(page.getByRole('link', { name: 'Ethiopia Guji' }));
  await page.keyboard.press('Enter');
  await pressAt(page, drawer.getByRole('link', { name: 'Open page' }));
  await expectTitle(page, 'Ethiopia Guji');
  await pressAt(page, button('View JSON'));
  await page.getByRole('dialog').getByText('"price_sources"').waitFor();
  await page.keyboard.press('Escape');
  await expectReturned(button('View JSON'));
});

test('the palette says what it took a text for, and finds it', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.type(orders.hash);
  await page.getByText('a transaction hash').waitFor();
  await page.getByRole('option', { name: /ord_1001/ }).waitFor();
  await audit(page, 'the palette with something found');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Ethiopia Guji');
  await page.goto(`${site.dashboardUrl}/m/${site.account}/invoices/TID-0000000000000000`);
  await page.getByText('Page not found', { exact: true }).waitFor();
});

test('a key is copied, and the way ends outside', async () => {
  await goByPalette('Stores');
  await expectTitle(page, 'Stores');
  const copy = button('Copy API key of Coffee Roasters');
  await pressAt(page, copy);
  // The accessible name is the visible text.
  await button('Copied').waitFor();
  expect(await readClipboard(page)).toMatch(/^cf_live_\w{20,}$/);
  await expectReturned(copy);

  const person = page.getByRole('button', { name: /Person \d/ });
  await tabTo(page, person, 'Shift+Tab');
  await page.keyboard.press('Enter');
  const out = page.getByRole('menuitem', { name: 'Sign out' });
  await out.waitFor();
  await page.keyboard.press('Escape');
  await expectReturned(person);
  await page.keyboard.press('Enter');
  await out.waitFor();
  await page.keyboard.press('End');
  while (!(await out.evaluate((element) => element === document.activeElement))) await page.keyboard.press('ArrowUp');
  await expectFocus(out);
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Sign in');
});
