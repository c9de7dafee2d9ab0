import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { HttpReceiver } from '../../apps/server/rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../apps/server/rig/fakes/http-receiver.ts';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../apps/server/rig/invoices/make-unmatched.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import type { AppStore } from '../../apps/server/rig/people/app-store.ts';
import { openAppStore } from '../../apps/server/rig/people/app-store.ts';
import { audit, auditFigures } from './audit.ts';
import type { Visit } from './person.ts';
import { expectTitle, fill, press, pressIn, readClipboard, visitAsOwner } from './person.ts';

/** Money of nobody, events of a range, the signing secret, and the audit log that has it all. */

let site: AppSite;
let browser: Browser;
let receiver: HttpReceiver;
let store: AppStore;
beforeAll(async () => {
  [site, browser, receiver] = await Promise.all([
    openAppSite(inject('template'), 'Northwind Trading', {}, { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' }),
    launchBrowser(),
    startHttpReceiver(),
  ]);
  await settleChain(site.database);
  store = await openAppStore(site, 'Coffee Roasters');
  // The receiver of this test speaks no TLS.
  await site.owner.browser.send('PATCH', `/accounts/${site.account}/stores/${store.merchantId}`, {
    https_callbacks_only: false,
  });
});
afterAll(async () => {
  await browser?.close();
  await receiver?.close();
  await site?.close();
});

const hook = () => `http://127.0.0.1:${receiver.port}/paid`;

/** An invoice whose end is told to the receiver. */
async function quote(amount: string): ReturnType<typeof quoteInvoice> {
  const quoted = await quoteInvoice(site.database, store, amount);
  await site.database.pool.query('update invoices set callback_url = $1 where trans_id = $2', [hook(), quoted.transId]);
  return quoted;
}

const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1_000);

/** Money of nobody is looked for an invoice, put aside, and brought back. */
async function settleMoney({ page }: Visit, base: string): Promise<void> {
  const { transId, quoteId, to } = await quote('120.043518');
  await receiveUnmatched(site.database, to, { amount: '0.5', reason: 'unknown' });
  await receiveUnmatched(site.database, to, { amount: '119.043518', quoteId });
  await page.goto(`${base}/unmatched`);
  await press(page, `Attach to ${transId}`);
  await page.getByRole('heading', { name: `It pays ${transId} now` }).waitFor();
  await page.getByRole('link', { name: 'Next transfer' }).click();
  await page.getByRole('heading', { name: /0.5 USDT\W+on BNB Smart Chain/ }).waitFor();

  await press(page, 'Find another invoice');
  await fill(page, 'Invoice code or order', transId);
  await pressIn(page, 'Find');
  await page.getByRole('dialog').getByText('Completed').waitFor();
  await audit(page, 'find another invoice');
  await page.keyboard.press('Escape');
  await press(page, 'Not ours');
  await pressIn(page, 'Put aside');
  await page.getByText('This is needed.').waitFor();
  await fill(page, 'What it was', 'Dust from a stranger');
  await audit(page, 'not ours');
  await pressIn(page, 'Put aside');
  await page.getByText('Nothing is unmatched').waitFor();
  await audit(page, 'nothing unmatched');
  await page.getByRole('link', { name: 'Put aside' }).click();
  await page.getByText('Dust from a stranger').waitFor();
  await audit(page, 'put aside');
  await press(page, 'Bring back');
  await page.getByText('Nothing was put aside').waitFor();
}

async function useWebhooks({ page }: Visit, base: string): Promise<void> {
  await page.goto(`${base}/webhooks`);
  await page.getByText('Answers', { exact: true }).waitFor();
  await audit(page, 'webhooks');
  await press(page, 'Send test event');
  await audit(page, 'test event');
  await fill(page, 'Address', 'shop.example');
  await pressIn(page, 'Send test event');
  await page.getByText('Write a whole address').waitFor();
  await fill(page, 'Address', '');
  await pressIn(page, 'Send test event');
  await expectTitle(page, 'webhook.test');
  await page.getByText('Try 1: 200').waitFor();

  await page.getByRole('link', { name: 'Webhooks' }).last().click();
  await press(page, 'State');
  await page.getByRole('button', { name: 'Gave up' }).click();
  await page.getByText('Nothing matches').waitFor();
  expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
  await audit(page, 'webhooks without a row');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'webhook.test' }).waitFor();

  await press(page, 'Replay a range');
  await pressIn(page, 'Count events');
  await page.getByText('2 events would be sent again').waitFor();
  await audit(page, 'replay');
  await pressIn(page, 'Send 2 events again');
  await page.getByText('2 events are on the way again').waitFor();
  await pressIn(page, 'Done');
}

/** The secret goes to the clipboard once it is sure who asks, and is never on the page. */
async function changeSecret({ page }: Visit): Promise<void> {
  await site.database.pool.query('update sessions set elevated_until = null');
  await press(page, 'Copy secret');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await fill(page, 'Password', site.owner.password);
  await pressIn(page, 'Confirm');
  await page.getByText('Copied').first().waitFor();
  const first = await readClipboard(page);
  expect(first).toMatch(/^whsec_/);
  await press(page, 'Make a new secret');
  await audit(page, 'new secret');
  await pressIn(page, 'Make a new secret');
  await page.getByText('The new secret is in use').waitFor();
  await pressIn(page, 'Copy new secret');
  await page.getByRole('dialog').getByText('Copied').first().waitFor();
  const second = await readClipboard(page);
  expect(second).toMatch(/^whsec_/);
  expect(second).not.toBe(first);
  expect(await page.content()).not.toContain(second);
  await pressIn(page, 'Done');
  await page.getByText(/The old one signs too until/).waitFor();
}

test('money of nobody is put aside, events are tried and replayed, secrets change, and the audit log tells of it', async () => {
  const startedMs = performance.now();
  const visit = await visitAsOwner(browser, site);
  const { page } = visit;
  const base = `${site.dashboardUrl}/m/${site.account}`;
  await settleMoney(visit, base);
  await useWebhooks(visit, base);
  await changeSecret(visit);

  await page.getByRole('link', { name: 'Audit log' }).first().click();
  await expectTitle(page, 'Audit log');
  await page.getByText('Made a new signing secret').waitFor();
  await page.getByText('Money was attached to an invoice').waitFor();
  await page.getByRole('button', { name: /^Details of: Put money aside as not ours/ }).click();
  await page.getByText('Dust from a stranger').waitFor();
  await audit(page, 'audit log');

  expect(visit.faults).toEqual([]);
  const figures = { webhooks_seconds: seconds(startedMs), ...auditFigures() };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
});
