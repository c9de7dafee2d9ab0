import { expect } from 'vitest';
import type { Browser, BrowserContext, Page } from '../apps/checkout/preview/browser.ts';
import { PAGE_HANG_MS } from '../apps/checkout/preview/browser.ts';
import type { CheckoutView, QuoteView } from '../apps/checkout/src/checkout-view.ts';
import type { Anvil } from '../apps/server/rig/chains/evm/anvil.ts';
import { payNative, payToken } from '../apps/server/rig/chains/evm/payment.ts';
import type { ChainName, CheckoutSite } from '../apps/server/rig/site/checkout-site.ts';

/** Actions of shops and customers. A customer knows only what the page shows. */

/** Longest time until the page shows what a chain or a worker did. */
export const WITHIN = { timeout: 120_000, interval: 100 };

let orders = 0;

/** Creates an invoice as the shop's backend does, and answers the page's address. */
export async function createInvoice(
  site: CheckoutSite,
  more: Record<string, string> = {},
): Promise<{ url: string; transId: string }> {
  orders += 1;
  const response = await fetch(`${site.api().url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': site.store.apiKey },
    body: JSON.stringify({
      merchant_id: site.store.merchantId,
      amount: '49.98',
      request_id: `order-${String(orders)}`,
      callback_url: `${site.shop.url}/callback`,
      completed_url: `${site.shop.url}/thanks?order=${String(orders)}`,
      expired_url: `${site.shop.url}/expired?order=${String(orders)}`,
      ...more,
    }),
  });
  const { data } = (await response.json()) as { data: { url_payment: string; trans_id: string } };
  return { url: data.url_payment, transId: data.trans_id };
}

export type Visit = { page: Page; context: BrowserContext; faults: string[]; loads: () => number };

type VisitOptions = Parameters<Browser['newContext']>[0] & { prepare?: (page: Page) => Promise<unknown> };

/** Opens a page; collects script errors and counts loads of documents. */
export async function visit(browser: Browser, url: string, { prepare, ...options }: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PAGE_HANG_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  let loads = 0;
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // A server that is away on purpose is not a fault of the page.
    if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(text)) faults.push(text);
  });
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().startsWith(new URL(url).origin)) loads += 1;
  });
  await prepare?.(page);
  await page.goto(url);
  return { page, context, faults, loads: () => loads };
}

export async function expectTitle(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent(), WITHIN).toBe(title);
}

export async function choose(page: Page, token: string, network: string): Promise<void> {
  const group = page.locator('.group', {
    has: page.locator('.group-title strong', { hasText: new RegExp(`^${token}$`) }),
  });
  const button = group.getByRole('button', { name: network });
  await group.waitFor();
  // Where there are many networks, those of a token are folded.
  if (!(await button.isVisible())) await group.locator('summary').click();
  await button.click();
}

/** Order as a person reads it on the page: amount, token and address. */
export async function readOrder(page: Page): Promise<{ amount: string; token: string; address: string }> {
  const read = async (selector: string) => ((await page.locator(selector).textContent()) ?? '').trim();
  return {
    amount: await read('.amount-number'),
    token: await read('.amount-token'),
    address: await read('.address'),
  };
}

export async function readView(site: Pick<CheckoutSite, 'api'>, transId: string): Promise<CheckoutView> {
  const response = await fetch(`${site.api().url}/bill/${transId}/state`);
  return (await response.json()) as CheckoutView;
}

/** Pays what the page shows from a wallet elsewhere; base units come from the quote of the same order. */
export async function payOrder(site: CheckoutSite, page: Page, transId: string, chain: ChainName): Promise<string> {
  const order = await readOrder(page);
  const { quote } = await readView(site, transId);
  if (!quote) throw new Error('Nothing was chosen.');
  expect(order).toEqual({ amount: quote.amount, token: quote.token, address: quote.address });
  return sendPayment(site.chains[chain], quote);
}

export function sendPayment(anvil: Anvil, { injected }: QuoteView): Promise<string> {
  if (!injected) throw new Error('This network has no wallet call.');
  const payment = { to: injected.to as `0x${string}`, units: BigInt(injected.unitsHex) };
  if (injected.contract === null) return payNative(anvil, payment);
  return payToken(anvil, { ...payment, token: injected.contract as `0x${string}` });
}
