import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, press, pressIn, SOON } from '../person.ts';
import type { Journey, Order } from './journey.ts';
import { createOrder, payAsCustomer } from './journey.ts';
import { receiveDust } from './put-aside.ts';

const ONE_USDT = 10n ** 18n;

/**
 * A customer pays one too little, and newer money of a stranger arrives. The invoice's page and a search for the hash
 * lead to exactly the customer's transfer, which is attached after its values were confirmed.
 */
export async function attachShort(journey: Journey, order: Order): Promise<string> {
  const { visit, at } = journey;
  const { page } = visit;
  const { transId } = await createOrder(journey, order);
  const hash = await payAsCustomer(journey, transId, ONE_USDT);
  await receiveDust(journey);
  await page.goto(at(`/invoices/${transId}`));
  await page.getByRole('heading', { name: /^136\.\d+ USDT received, but it does not pay this invoice/ }).waitFor();
  await page.getByText('−1.00').waitFor();
  await audit(page, 'an invoice with stray money');
  await page.getByRole('link', { name: 'Resolve this payment' }).click();
  await expectTitle(page, 'Unmatched money');
  const received = page.getByRole('heading', { level: 2, name: /136\.\d+ USDT\W+on BNB Smart Chain/ });
  await received.waitFor();
  await page.waitForURL(/\/unmatched\/\d+$/);
  await page.getByText(`1.00 too little for ${transId}`).waitFor();
  await page.getByRole('link', { name: /^0\.50 USDT/ }).waitFor();
  await audit(page, 'unmatched money');

  // The list begins with the stranger's money: a search must not open it.
  await page.goto(at(''));
  await press(page, /^Find anything/);
  await page.getByRole('combobox', { name: 'Find anything' }).fill(hash);
  await page.getByRole('option', { name: /^136\.\d+ USDT/ }).click();
  await received.waitFor();
  await page.waitForURL(/\/unmatched\/\d+$/);

  await press(page, `Attach to ${order.name}`);
  const dialog = page.getByRole('dialog', { name: /^Attach 136\.\d+ USDT to/ });
  await dialog.getByText(order.name, { exact: true }).waitFor();
  await dialog.getByText(/137\.\d+ USDT/).waitFor();
  await dialog.getByText('−1.00 USDT', { exact: true }).waitFor();
  await dialog.getByText(/^This invoice is open until/).waitFor();
  await audit(page, 'attach: confirmation');
  await pressIn(page, 'Attach payment');
  await dialog.getByText('Select this to attach the payment.').waitFor();
  await dialog.getByRole('checkbox', { name: /^Accept 1\.00 USDT less than expected/ }).check();
  await pressIn(page, 'Attach payment');
  await page.getByRole('heading', { name: `Attached: ${transId} is now paid` }).waitFor();
  await audit(page, 'attached');
  await page.goto(at('/invoices'));
  const row = page.getByRole('row', { name: new RegExp(order.name) });
  await row.locator('.badge-good').waitFor();
  await expect.poll(() => journey.site.shop.requests.some(({ body }) => body.includes(transId)), SOON).toBe(true);
  return transId;
}
