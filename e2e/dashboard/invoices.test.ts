import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser, Page } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import type { TradeStore } from '../../apps/server/rig/people/trade-rows.ts';
import {
  chooseMethod,
  complete,
  expire,
  openTradeStore,
  placeOrder,
  receiveMoney,
  tellServer,
} from '../../apps/server/rig/people/trade-rows.ts';
import type { Visit } from './person.ts';
import { audit, auditCount, expectTitle, fill, openVisit, pressIn } from './person.ts';

let site: AppSite;
let browser: Browser;
let store: TradeStore;
beforeAll(async () => {
  [site, browser] = await Promise.all([openAppSite(inject('template')), launchBrowser()]);
  store = await openTradeStore(site, 'Coffee Roasters');
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const OLD_ORDERS = 60;
const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1_000);
const list = () => `${site.dashboardUrl}/m/${site.account}/invoices`;
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** A browser in which the owner is signed in. */
async function visitAsOwner(): Promise<Visit> {
  const visit = await openVisit(browser, site.dashboardUrl);
  const [name = '', value = ''] = site.owner.browser.cookie.split('=');
  await visit.context.addCookies([{ name, value, url: site.dashboardUrl }]);
  return visit;
}

type Orders = { paid: string; stray: string; hash: string };

/** Two pages of orders: many old ones, one that is paid, and one whose money does not match. */
async function placeOrders(): Promise<Orders> {
  for (let number = 0; number < OLD_ORDERS; number += 1)
    await placeOrder(site, store, { name: `Old order ${number}`, amount: '9.5', minutesAgo: 300 - number });
  const stray = await placeOrder(site, store, { name: 'Green coffee', amount: '120', minutesAgo: 60 });
  await chooseMethod(site, stray, '0.043518');
  await receiveMoney(site, stray, { less: '1', reason: 'short' });
  await expire(site, stray);
  const paid = await placeOrder(site, store, {
    name: 'Ethiopia Guji',
    amount: '49.98',
    requestId: 'ord_1001',
    minutesAgo: 45,
  });
  await chooseMethod(site, paid);
  const hash = await receiveMoney(site, paid);
  await complete(site, paid);
  await tellServer(site, paid, [500, 200]);
  return { paid, stray, hash };
}

/** The first invoice, by hand: for a merchant without a server of their own. */
async function createByHand({ page }: Visit): Promise<void> {
  await page.goto(list());
  await page.getByText('No invoices yet').waitFor();
  await page.getByRole('button', { name: 'Create invoice' }).click();
  await pressIn(page, 'Create invoice');
  await page.getByText('Write an amount such as 49.98.').waitFor();
  await audit(page, 'create an invoice');
  await fill(page, 'Amount in USD', '12.50');
  await fill(page, 'Title', 'Two cups');
  await pressIn(page, 'Create invoice');
  await page.getByRole('heading', { name: 'Invoice of $12.50 created' }).waitFor();
  await audit(page, 'a created invoice');
  await pressIn(page, 'Copy link');
  expect(await clipboard(page)).toMatch(/\/bill\/TID-\w{16}$/);
  await pressIn(page, 'Done');
  await row(page, 'Two cups').getByText('Waiting').waitFor();
}

/** Rows turn green while one looks, and new ones wait until they are asked for. */
async function watch({ page }: Visit): Promise<void> {
  const code = await placeOrder(site, store, { name: 'Live order', amount: '38' });
  await page.getByRole('button', { name: '1 new, show' }).click({ timeout: 15_000 });
  await row(page, 'Live order').getByText('Waiting').waitFor();
  await chooseMethod(site, code, '0.001234');
  await receiveMoney(site, code);
  await complete(site, code);
  await row(page, 'Live order').getByText('Completed').waitFor({ timeout: 10_000 });
}

/** Filters stand in the address, hide what they say, and say so when nothing is left. */
async function filter({ page }: Visit): Promise<void> {
  await page.getByRole('button', { name: 'Status' }).click();
  await audit(page, 'choosing a status');
  await page.getByRole('button', { name: 'Completed late' }).click();
  await page.getByText('Nothing matches').waitFor();
  expect(page.url()).toContain('status=late');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, 'Live order').waitFor();
  await page.getByRole('button', { name: 'Amount' }).click();
  await fill(page, 'At least, in USD', '100');
  await page.getByRole('button', { name: 'Apply' }).click();
  await row(page, 'Green coffee').waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Clear the filter Amount' }).click();
  await page.getByRole('button', { name: 'Older' }).click();
  await row(page, 'Old order 1 ').first().waitFor();
  expect(page.url()).toContain('after=');
  await page.getByRole('button', { name: 'Newer' }).click();
  await row(page, 'Live order').waitFor();
}

/** The drawer by keys alone: j and k, Enter, c, Esc, and the focus comes back. */
async function useKeys({ page }: Visit, { paid }: Orders): Promise<void> {
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: /Invoice TID-/ });
  await drawer.getByText('Live order').waitFor();
  expect(page.url()).toContain('invoice=TID-');
  await page.keyboard.press('j');
  await drawer.getByText('Ethiopia Guji').waitFor();
  await drawer.getByText('Webhook delivered, 200').waitFor();
  await audit(page, 'the drawer');
  await page.keyboard.press('c');
  await expect.poll(() => clipboard(page)).toBe(paid);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-code'))).toBe(paid);
  await page.keyboard.press('o');
  await expectTitle(page, 'Ethiopia Guji');
}

/** The page of a paid invoice explains itself; that of a stray one says what arrived and where to decide. */
async function read({ page }: Visit, { stray }: Orders): Promise<void> {
  await page.getByText('Two looks, same answer').waitFor();
  await page.getByText('Coinbase').waitFor();
  await page.getByText('Fee of $0.4998 taken').waitFor();
  await audit(page, 'a paid invoice');
  await page.getByRole('button', { name: 'View JSON' }).click();
  await page.getByRole('dialog').getByText('"price_sources"').waitFor();
  await audit(page, 'an invoice as JSON');
  await page.keyboard.press('Escape');
  await page.goto(`${list()}/${stray}`);
  await page.getByRole('heading', { name: /119.043518 USDT arrived/ }).waitFor();
  await page.getByText('−1.00').waitFor();
  await page.getByRole('link', { name: 'Decide in unmatched money' }).waitFor();
  await audit(page, 'an invoice with stray money');
  await page.goto(`${list()}/TID-0000000000000000`);
  await page.getByText('There is nothing here', { exact: true }).waitFor();
}

/** The palette says what it took a text for, and finds it. */
async function find({ page }: Visit, { hash }: Orders): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Find anything' });
  await field.fill(hash);
  await page.getByText('a transaction hash').waitFor();
  await page.getByRole('option', { name: /ord_1001/ }).waitFor();
  await audit(page, 'the palette with something found');
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Ethiopia Guji');
}

test('an owner writes an invoice, watches the list, looks for one and reads what happened', async () => {
  const startedMs = performance.now();
  const visit = await visitAsOwner();
  const { page } = visit;
  await createByHand(visit);
  const orders = await placeOrders();
  await page.reload();
  await row(page, 'Ethiopia Guji').waitFor();
  await audit(page, 'invoices');
  await watch(visit);
  await filter(visit);
  await useKeys(visit, orders);
  await read(visit, orders);
  await find(visit, orders);
  await page.evaluate(() => localStorage.setItem('counterfoil.language', 'ar'));
  for (const path of ['', `/${orders.paid}`]) {
    await page.goto(`${list()}${path}`);
    await page.getByText('Ethiopia Guji').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
    await audit(page, `invoices${path} in Arabic`);
  }
  expect(visit.faults).toEqual([]);
  const figures = { axe_audits: auditCount(), axe_violations: 0, invoices_seconds: seconds(startedMs) };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
});
