import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import { choose, createInvoice, expectTitle, visit } from './customer.ts';
import type { World } from './world.ts';
import { openWorld, WITHIN } from './world.ts';

/** Ten minutes pass in half a minute. */
let world: World;
let browser: Browser;
beforeAll(async () => {
  world = await openWorld({ rate: 20, lifetimeMinutes: 10 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

test('nobody pays: the last payments are checked first, then it expires, and the shop is told', async () => {
  const { url, transId } = await createInvoice(world);
  const { page, context, faults, loads } = await visit(browser, url);
  await choose(page, 'USDT', 'BNB Smart Chain');
  await expectTitle(page, 'Send your payment');
  // No block comes any more: the network cannot be read past the end.
  await world.chains.BSC.rpc('evm_setIntervalMining', [0]);
  await expectTitle(page, 'Checking the last payments');
  expect(await findViolations(page)).toEqual([]);
  await world.chains.BSC.rpc('evm_setIntervalMining', [1]);
  await expectTitle(page, 'This invoice has expired');
  expect(await findViolations(page)).toEqual([]);
  expect(await page.getByRole('link', { name: 'Return to' }).getAttribute('href')).toContain('/expired');
  await expect
    .poll(() => world.site.told.filter((told) => told.trans_id === transId), WITHIN)
    .toMatchObject([{ event: 'invoice.expired' }]);
  expect(loads()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});
