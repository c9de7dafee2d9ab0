import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, press, pressIn } from '../person.ts';
import type { Journey } from './journey.ts';
import { payAsCustomer, STORE } from './journey.ts';

/** The balance is topped up with an invoice of our own, which is paid on the chain as any other. */
export async function topUp(journey: Journey): Promise<void> {
  const { site, visit } = journey;
  const { page } = visit;
  await page.getByRole('link', { name: 'Balance' }).first().click();
  await expectTitle(page, 'Balance');
  await audit(page, 'balances');
  await page.getByRole('link', { name: STORE }).click();
  await expectTitle(page, `Balance of ${STORE}`);
  await audit(page, 'balance');
  await page.getByRole('link', { name: 'Top up' }).click();
  await press(page, '$50');
  await audit(page, 'top-up');
  await pressIn(page, 'Go to checkout');
  await page.getByText(/Waiting for the payment/).waitFor();
  await audit(page, 'top-up that waits');
  const link = await page.getByRole('link', { name: 'Go to checkout' }).getAttribute('href');
  const [, transId = ''] = new RegExp(`^${site.api.url}/bill/(TID-\\w{16})$`).exec(link ?? '') ?? [];
  expect(transId).not.toBe('');
  await payAsCustomer(journey, transId);
  await page.getByText('+$50.00 credited').waitFor();
  await pressIn(page, 'Done');
  await page.getByText(/^\+\$50\.00/).waitFor();
}
