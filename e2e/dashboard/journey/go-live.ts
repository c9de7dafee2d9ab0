import { expect } from 'vitest';
import { totpCode } from '../../../apps/server/src/people/totp.ts';
import type { Page } from '../../../apps/checkout/preview/browser.ts';
import { expectTitle } from '../person.ts';
import type { Hands } from './hands.ts';
import type { Journey } from './journey.ts';
import { payAsCustomer } from './journey.ts';

/** From a verified email address to the first live invoice, by mouse or keyboard. */

export type Way = { journey: Journey; hands: Hands };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true });

/** Opens a business; returns its code in addresses. */
export async function createBusiness({ journey, hands }: Way, name: string): Promise<string> {
  const { page } = journey.visit;
  await expectTitle(page, 'Create your business');
  await hands.type('Business name', name);
  await hands.type('First store', `${name} shop`);
  await hands.press(button(page, 'Create business'));
  await expectTitle(page, 'Get your first payment');
  return /\/m\/([^/?]+)/.exec(page.url())?.[1] ?? '';
}

async function keepCodes({ journey, hands }: Way): Promise<void> {
  const { page } = journey.visit;
  await page.getByText('These codes are shown only once').waitFor();
  const codes = await page.locator('.codes li').allTextContents();
  expect(codes).toHaveLength(10);
  const label = (await page.getByText(/^Enter code \d+ to confirm/).textContent()) ?? '';
  await hands.type(label, codes[Number(/\d+/.exec(label)?.[0]) - 1] ?? '');
  await hands.press(inDialog(page, 'Confirm'));
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor({ state: 'detached' });
}

/** Sets up two-factor with one method alone. */
export async function addMethod(way: Way, method: 'passkey' | 'app'): Promise<void> {
  const { journey, hands } = way;
  const { page } = journey.visit;
  await hands.press(page.getByRole('link', { name: 'Add a two-factor method' }));
  await expectTitle(page, 'Account & security');
  if (method === 'passkey') {
    await hands.press(button(page, 'Add a passkey'));
    await hands.press(inDialog(page, 'Create passkey'));
  } else {
    await hands.press(button(page, 'Set up an app'));
    const secret = (await page.locator('.dialog .hash bdi').textContent()) ?? '';
    await hands.type('Code from your authenticator', totpCode(secret, Date.now()));
    await hands.press(inDialog(page, 'Confirm code'));
  }
  await keepCodes(way);
}

/** Opens a live store and adds its first wallet. */
export async function openLiveStore({ journey, hands }: Way, name: string, address: string): Promise<void> {
  const { page } = journey.visit;
  await hands.press(page.getByRole('link', { name: 'Stores' }).first());
  await hands.press(button(page, 'New store'));
  await hands.type('Store', name);
  await hands.choose(/^Live store/);
  await hands.press(inDialog(page, 'Create store'));
  await expectTitle(page, `Connect ${name}`);
  await hands.press(page.getByRole('link', { name: 'Add a wallet' }));
  await hands.press(page.getByRole('button', { name: 'Add a wallet' }).first());
  await hands.choose(/BNB Smart Chain/);
  await hands.press(inDialog(page, 'Continue'));
  await hands.type('Address', address);
  await hands.press(inDialog(page, 'Continue'));
  await hands.tick('This wallet is mine');
  await hands.press(inDialog(page, 'Add wallet'));
  await page.getByText('The store now receives payments here').waitFor();
  await hands.press(inDialog(page, 'Done'));
}

/** Tops up the balance, which is paid on the chain. */
export async function topUpBalance({ journey, hands }: Way, name: string): Promise<void> {
  const { page } = journey.visit;
  await hands.press(page.getByRole('link', { name: 'Balance' }).first());
  await hands.press(page.getByRole('link', { name, exact: true }));
  await hands.press(page.getByRole('link', { name: 'Top up' }));
  await hands.press(button(page, '$50'));
  await hands.press(inDialog(page, 'Go to checkout'));
  await page.getByText(/Waiting for the payment/).waitFor();
  const link = await page.getByRole('link', { name: 'Go to checkout' }).getAttribute('href');
  await payAsCustomer(journey, /TID-\w{16}/.exec(link ?? '')?.[0] ?? '');
  await page.getByText('+$50.00 credited').waitFor();
  await hands.press(inDialog(page, 'Done'));
}

/** Creates a live invoice in the dashboard, which a customer pays on the chain. */
export async function sellOnce({ journey, hands }: Way, name: string): Promise<string> {
  const { page } = journey.visit;
  await hands.press(page.getByRole('link', { name: 'Invoices' }).first());
  await hands.press(button(page, 'Create invoice'));
  await hands.select('Store', name);
  await hands.type('Amount in USD', '49.98');
  await hands.press(inDialog(page, 'Create invoice'));
  await page.getByRole('heading', { name: 'Invoice of $49.98 created' }).waitFor();
  const transId = /TID-\w{16}/.exec((await page.locator('.made-link').textContent()) ?? '')?.[0] ?? '';
  await payAsCustomer(journey, transId);
  return transId;
}
