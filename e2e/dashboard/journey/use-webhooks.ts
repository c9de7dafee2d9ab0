import { expect } from 'vitest';
import { audit } from '../audit.ts';
import { expectTitle, fill, press, pressIn, readClipboard, SOON } from '../person.ts';
import type { Journey } from './journey.ts';

/** The delivery list: a test event, filters, and a replayed range. */
export async function useWebhooks({ site, visit: { page }, at }: Journey): Promise<void> {
  await page.goto(at('/webhooks'));
  await page.getByText('Healthy', { exact: true }).waitFor();
  await audit(page, 'webhooks');
  await press(page, 'Send test event');
  await audit(page, 'test event');
  await fill(page, 'URL', 'shop.example');
  await pressIn(page, 'Send test event');
  await page.getByText('Enter a complete URL').waitFor();
  await fill(page, 'URL', '');
  await pressIn(page, 'Send test event');
  await expectTitle(page, 'webhook.test');
  await page.getByText('Attempt 1: 200').waitFor();

  await page.getByRole('link', { name: 'Webhooks' }).last().click();
  await press(page, 'Status');
  await page.getByRole('button', { name: 'Pending' }).click();
  await page.getByText('Nothing matches').waitFor();
  expect(new URL(page.url()).searchParams.get('state')).toBe('pending');
  await audit(page, 'webhooks without a row');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'webhook.test' }).waitFor();

  // Two invoices were completed, and one event was a test.
  await press(page, 'Resend events from a period');
  await pressIn(page, 'Count events');
  await page.getByText('3 events will be resent').waitFor();
  await audit(page, 'replay');
  const bodies = () => site.shop.requests.map(({ body }) => body);
  const before = bodies();
  const events = [...new Set(before)].toSorted();
  expect(events).toHaveLength(3);
  await pressIn(page, 'Resend 3 events');
  await page.getByText('3 events are being resent').waitFor();
  await expect.poll(() => bodies().slice(before.length).toSorted(), SOON).toEqual(events);
  await pressIn(page, 'Done');
}

/** The secret goes to the clipboard once it is sure who asks, and is never on the page. */
export async function changeSecret(journey: Journey): Promise<void> {
  const { page } = journey.visit;
  await press(page, 'Copy secret');
  await page.getByText('Copied').first().waitFor();
  const first = await readClipboard(page);
  expect(first).toMatch(/^whsec_/);
  await press(page, 'Rotate secret');
  await audit(page, 'new secret');
  await pressIn(page, 'Rotate secret');
  await page.getByText('The new secret is in use').waitFor();
  await pressIn(page, 'Copy new secret');
  await page.getByRole('dialog').getByText('Copied').first().waitFor();
  const second = await readClipboard(page);
  expect(second).toMatch(/^whsec_/);
  expect(second).not.toBe(first);
  expect(await page.content()).not.toContain(second);
  await pressIn(page, 'Done');
  await page.getByText(/The old secret also signs until/).waitFor();
}
