import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, fill, press, pressIn } from '../person.ts';
import type { Journey } from './journey.ts';
import { STORE } from './journey.ts';

/** Settings with a fault and without, and the switch. */
export async function changeSettings({ visit: { page }, at }: Journey, store: string): Promise<void> {
  await page.goto(at(`/stores/${store}/keys`));
  await page.getByRole('link', { name: 'General' }).click();
  await fill(page, 'Time to pay (minutes)', '5');
  await press(page, 'Save changes');
  await page.getByText('Enter whole minutes from 10 to 1440.').waitFor();
  await audit(page, 'settings with a fault');
  await fill(page, 'Time to pay (minutes)', '45');
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  expect(await page.getByLabel('Time to pay (minutes)').inputValue()).toBe('45');
  await press(page, 'Switch off');
  await audit(page, 'switch off');
  await pressIn(page, 'Switch off');
  await page
    .getByText('New invoices are rejected. Open invoices can still be completed, and their webhooks are sent.')
    .waitFor();
  await press(page, 'Switch on');
  await pressIn(page, 'Switch on');
  await page.getByText('The store accepts new invoices.').waitFor();
}

/** The look of the payment pages, with a logo. */
export async function changeBrand(journey: Journey): Promise<void> {
  const { page } = journey.visit;
  await page.getByRole('link', { name: 'Brand' }).click();
  await fill(page, 'Display name', 'The Coffee Roasters');
  await fill(page, 'Colour', '#1b6e4f');
  await fill(page, 'Support page', 'http://roasters.example');
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } });
  await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: picture });
  await page.getByText('A new logo, not saved yet').waitFor();
  await press(page, 'Save changes');
  await page.getByText('Enter an address that customers can open', { exact: false }).waitFor();
  await fill(page, 'Support page', 'https://roasters.example/help');
  await press(page, 'Save changes');
  await page.getByText('A logo is set').waitFor();
  await audit(page, 'brand');
}

/** The low-balance threshold, and who gets an email about it. */
export async function chooseMails({ site, visit: { page } }: Journey): Promise<void> {
  await page.getByRole('link', { name: 'Balance' }).first().click();
  await page.getByRole('link', { name: STORE }).click();
  await expectTitle(page, `Balance of ${STORE}`);
  await page.getByLabel('Below an amount').check();
  await fill(page, 'Amount in USD', '25');
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
  await audit(page, 'balance with fees');

  await page.goto(`${site.dashboardUrl}/me/notifications`);
  await page.getByRole('switch', { name: 'Low balance' }).click();
  await page.getByRole('switch', { name: 'Low balance', checked: false }).waitFor();
  await page.reload();
  await page.getByRole('switch', { name: 'Low balance', checked: false }).waitFor();
  await audit(page, 'mails');
}
