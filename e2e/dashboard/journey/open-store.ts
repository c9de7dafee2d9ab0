import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, fill, press, pressIn, readClipboard } from '../person.ts';
import type { Journey } from './journey.ts';
import { STORE } from './journey.ts';

export const BSC = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';

/** Goes through the steps of adding a wallet. */
export async function addWallet({ visit: { page } }: Journey, network: string, address: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a wallet' }).first().click();
  await page.getByRole('radio', { name: network }).check();
  await pressIn(page, 'Continue');
  await fill(page, 'Address', address);
  await pressIn(page, 'Continue');
  await page.getByLabel('This wallet is mine').check();
  await audit(page, 'add a wallet');
  await pressIn(page, 'Add wallet');
}

/** A live store with its first wallet, which takes effect immediately; returns the store's code. */
export async function openStore(journey: Journey): Promise<string> {
  const { page } = journey.visit;
  await press(page, 'New store');
  await fill(page, 'Store', STORE);
  await page.getByLabel('Live store').check();
  await audit(page, 'new store');
  await pressIn(page, 'Create store');
  await expectTitle(page, `Connect ${STORE}`);
  await page.getByRole('link', { name: 'Add a wallet' }).click();
  await expectTitle(page, STORE);
  await addWallet(journey, 'BNB Smart Chain', BSC);
  await page.getByText('The store now receives payments here').waitFor();
  await pressIn(page, 'Done');

  // This journey's merchant server has no TLS.
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByRole('switch', { name: 'Require HTTPS for webhooks' }).click();
  await press(page, 'Save changes');
  await page.getByText('Saved', { exact: true }).waitFor();
  return /\/stores\/([^/?]+)/.exec(page.url())?.[1] ?? '';
}

/** The store's API key, which goes to the clipboard once it is sure who asks, and is never on the page. */
export async function copyKey(journey: Journey): Promise<string> {
  const { page } = journey.visit;
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await expectTitle(page, 'Stores');
  await audit(page, 'stores');
  await press(page, `Copy API key of ${STORE}`);
  await page.getByText('Copied').first().waitFor();
  const key = await readClipboard(page);
  expect(key).toMatch(/^cf_live_\w{20,}$/);
  expect(await page.content()).not.toContain(key);
  return key;
}
