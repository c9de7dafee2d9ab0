import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import { choose, createInvoice, expectTitle, visit, WITHIN } from './customer.ts';
import type { CheckoutSite } from '../apps/server/rig/site/checkout-site.ts';
import { openCheckoutSite } from '../apps/server/rig/site/checkout-site.ts';

/** Customers of invoices that expire; ten minutes pass in half a minute. */
let site: CheckoutSite;
let browser: Browser;
beforeAll(async () => {
  site = await openCheckoutSite(inject('template'), { rate: 20, lifetimeMinutes: 10 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test('an unpaid invoice is checked for its last payments first, then expires, and the shop gets the event', async () => {
  const { url, transId } = await createInvoice(site);
  const { page, context, faults, loads } = await visit(browser, url);
  await choose(page, 'USDT', 'BNB Smart Chain');
  await expectTitle(page, 'Send your payment');
  // Without new blocks the network cannot be read past the end.
  await site.chains.BSC.rpc('evm_setIntervalMining', [0]);
  await expectTitle(page, 'Checking the last payments');
  expect(await findViolations(page)).toEqual([]);
  await site.chains.BSC.rpc('evm_setIntervalMining', [1]);
  await expectTitle(page, 'This invoice has expired');
  expect(await findViolations(page)).toEqual([]);
  expect(await page.getByRole('link', { name: 'Return to' }).getAttribute('href')).toContain('/expired');
  await expect
    .poll(() => site.shop.told.filter((told) => told.trans_id === transId), WITHIN)
    .toMatchObject([{ event: 'invoice.expired' }]);
  expect(loads()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});
