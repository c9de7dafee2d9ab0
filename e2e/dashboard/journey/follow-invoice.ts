import { expect } from 'vitest';
import { waitUntil } from '../../../apps/server/rig/processes/wait-until.ts';
import { audit } from '../audit.ts';
import { expectTitle, press } from '../person.ts';
import type { Journey, Order } from './journey.ts';
import { createOrder, payAsCustomer } from './journey.ts';

const HTTP_GONE = 410;
const HTTP_FAULT = 500;
const TOLD_WITHIN = { what: 'The server is not told a second time.', pollMs: 50 };

/** The merchant's server fails once, then answers "gone", which ends the attempts. */
function breakServer({ site: { shop } }: Journey): void {
  shop.answer = (_request, response) => {
    const isFirst = shop.requests.length === 1;
    response.statusCode = isFirst ? HTTP_FAULT : HTTP_GONE;
    response.end(isFirst ? '{"error":"deadlock detected"}' : '{"error":"moved away"}');
  };
}

function mendServer({ site: { shop } }: Journey): void {
  shop.answer = (_request, response) => response.end('{"ok":true}');
}

/** An order comes in while the list is open, is paid on the chain, and turns green; the page is loaded once. */
export async function watchList(journey: Journey, order: Order): Promise<{ transId: string; hash: string }> {
  const { visit, at } = journey;
  const { page } = visit;
  breakServer(journey);
  await page.goto(at('/invoices'));
  await page.getByText('No invoices yet').waitFor();
  let loads = 0;
  page.on('load', () => (loads += 1));
  const { transId, status } = await createOrder(journey, order);
  expect(status).toBe(200);
  const row = page.getByRole('row', { name: new RegExp(order.name) });
  const fresh = page.getByRole('button', { name: 'Show 1 new invoice' });
  await row.or(fresh).first().waitFor();
  if (await fresh.isVisible()) await fresh.click();
  await row.getByText('Waiting').waitFor();
  const hash = await payAsCustomer(journey, transId);
  await row.locator('.badge-good').getByText('Completed').waitFor();
  await audit(page, 'invoices');
  expect(loads).toBe(0);
  return { transId, hash };
}

/** The paid invoice's page: both reads, confirmations, the ledger, the event and its attempts. */
export async function readStory({ site, visit: { page }, at }: Journey, transId: string): Promise<void> {
  await waitUntil(() => site.shop.requests.length === 2, TOLD_WITHIN);
  await page.goto(at(`/invoices/${transId}`));
  await page.getByText('Confirmed by two independent reads').waitFor();
  const looks = page.locator('table').filter({ hasText: 'Provider' }).getByRole('row');
  const providers = await looks.locator('td:nth-child(2)').allTextContents();
  expect(new Set(providers).size).toBe(2);
  await page
    .getByText(/Block [\d,]+ · \d+ confirmations? · Both reads agree on address, token, amount and time/)
    .waitFor();
  await page.getByText('Coinbase').waitFor();
  await page.getByText('A fee of $0.2499 was held.').waitFor();
  await page.getByText('Fee of $0.2499 charged').waitFor();
  await page.getByText(/^invoice\.completed: 500 from .+ in [\d,]+ ms, attempt 1\./).waitFor();
  await page.getByText(/^invoice\.completed: 410 from .+ in [\d,]+ ms, attempt 2\./).waitFor();
  await audit(page, 'a paid invoice');
  await press(page, 'View JSON');
  await page.getByRole('dialog').getByText('"price_sources"').waitFor();
  await audit(page, 'an invoice as JSON');
  await page.keyboard.press('Escape');
}

/** The event that failed is sent again from its page, and arrives with the same body. */
export async function sendAgain(journey: Journey, transId: string): Promise<void> {
  const { site, visit } = journey;
  const { page } = visit;
  mendServer(journey);
  await page.getByRole('link', { name: 'View body and responses' }).first().click();
  await expectTitle(page, `invoice.completed for ${transId}`);
  await page.getByText('Attempt 1: 500').waitFor();
  await page.getByText('deadlock detected').waitFor();
  await page.getByText('Attempt 2: 410').waitFor();
  await audit(page, 'a webhook');
  await press(page, 'Resend');
  await page.locator('section.card').filter({ hasText: 'Resent manually' }).getByText('Attempt 1: 200').waitFor();
  expect(site.shop.requests).toHaveLength(3);
  expect(site.shop.requests[2]?.body).toBe(site.shop.requests[0]?.body);
  await page.getByRole('link', { name: 'View invoice' }).click();
  await page.getByText('Webhook delivered').waitFor();
}
