import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, press, SOON } from '../person.ts';
import type { Journey, Order } from './journey.ts';
import { createOrder, payAsCustomer } from './journey.ts';

const ONE_USDT = 10n ** 18n;

/** A customer pays one too little; the invoice's page says so, and leads to where the money is attached to it. */
export async function attachShort(journey: Journey, order: Order): Promise<string> {
  const { visit, at } = journey;
  const { page } = visit;
  const { transId } = await createOrder(journey, order);
  await payAsCustomer(journey, transId, ONE_USDT);
  await page.goto(at(`/invoices/${transId}`));
  await page.getByRole('heading', { name: /^136\.\d+ USDT received, but it does not pay this invoice/ }).waitFor();
  await page.getByText('−1.00').waitFor();
  await audit(page, 'an invoice with stray money');
  await page.getByRole('link', { name: 'Resolve this payment' }).click();
  await expectTitle(page, 'Unmatched money');
  await page.getByText(`1.00 too little for ${transId}`).waitFor();
  await audit(page, 'unmatched money');
  await press(page, `Attach to ${transId}`);
  await page.getByRole('heading', { name: `Attached: ${transId} is now paid` }).waitFor();
  await audit(page, 'attached');
  await page.goto(at('/invoices'));
  const row = page.getByRole('row', { name: new RegExp(order.name) });
  await row.locator('.badge-good').waitFor();
  await expect.poll(() => journey.site.shop.requests.some(({ body }) => body.includes(transId)), SOON).toBe(true);
  return transId;
}
