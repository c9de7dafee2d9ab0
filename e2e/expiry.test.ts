import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import { makeFinal, resumeBlocks, stopBlocks } from '../apps/server/rig/chains/evm/live-chain.ts';
import type { CheckoutSite } from '../apps/server/rig/site/checkout-site.ts';
import { openCheckoutSite } from '../apps/server/rig/site/checkout-site.ts';
import { choose, createInvoice, expectTitle, visit, WITHIN } from './customer.ts';

/** Customers of invoices that expire. */
let site: CheckoutSite;
let browser: Browser;
beforeAll(async () => {
  site = await openCheckoutSite(inject('template'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const LIFETIME_MS = 30 * 60_000;

/** Ends an invoice's lifetime now, and returns the end, in seconds. */
async function endLifetime(transId: string): Promise<number> {
  const { rows } = await site.database.pool.query<{ end: number }>(
    `update invoices set expires_at = clock_timestamp() where trans_id = $1
     returning extract(epoch from expires_at)::float8 as end`,
    [transId],
  );
  return rows[0]?.end ?? 0;
}

test('an unpaid invoice is checked for its last payments first, then expires, and the shop gets the event', async () => {
  const { url, transId } = await createInvoice(site);
  const { page, context, faults, loads } = await visit(browser, url, { prepare: (fresh) => fresh.clock.install() });
  await choose(page, 'USDT', 'BNB Smart Chain');
  await expectTitle(page, 'Send your payment');
  // Without new blocks the network cannot be read past the end.
  await stopBlocks(site.chains.BSC);
  const end = await endLifetime(transId);
  await page.clock.fastForward(LIFETIME_MS);
  await expectTitle(page, 'Checking the last payments');
  expect(await findViolations(page)).toEqual([]);
  await makeFinal(site.chains.BSC, { atTime: Math.ceil(end) + 1 });
  await resumeBlocks(site.chains.BSC);
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
