import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { HttpReceiver } from '../../apps/server/rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../apps/server/rig/fakes/http-receiver.ts';
import { NO_PRICES } from '../../apps/server/rig/fakes/price-servers.ts';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../apps/server/rig/invoices/make-unmatched.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import type { AppStore } from '../../apps/server/rig/people/app-store.ts';
import { openAppStore } from '../../apps/server/rig/people/app-store.ts';
import type { WorkerProcess } from '../../apps/server/rig/processes/server-process.ts';
import { startWorker } from '../../apps/server/rig/processes/server-process.ts';
import type { Visit } from './person.ts';
import { audit, auditCount, expectTitle, fill, openVisit, press, pressIn } from './person.ts';

/** Money that matched nothing is attached, the merchant's server is told of it, and the audit log has it all. */

let site: AppSite;
let browser: Browser;
let receiver: HttpReceiver;
let worker: WorkerProcess;
let store: AppStore;
beforeAll(async () => {
  [site, browser, receiver] = await Promise.all([
    openAppSite(inject('template')),
    launchBrowser(),
    startHttpReceiver(),
  ]);
  worker = await startWorker(site.url, {
    ...NO_PRICES,
    COUNTERFOIL_KEY_RING_FILE: site.path,
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
  });
  await settleChain(site.database);
  store = await openAppStore(site, 'Coffee Roasters');
  // The receiver of this test speaks no TLS.
  await site.owner.browser.send('PATCH', `/accounts/${site.account}/stores/${store.merchantId}`, {
    https_callbacks_only: false,
  });
  // The server fails at first, and takes everything afterwards.
  receiver.answer = (_request, response) => {
    response.statusCode = receiver.requests.length === 1 ? 500 : 200;
    response.end(receiver.requests.length === 1 ? '{"error":"deadlock detected"}' : '{"ok":true}');
  };
});
afterAll(async () => {
  await worker?.stop();
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

async function signIn(): Promise<Visit> {
  const visit = await openVisit(browser, site.dashboardUrl);
  const [name = '', value = ''] = site.owner.browser.cookie.split('=');
  await visit.context.addCookies([{ name, value, url: site.dashboardUrl }]);
  return visit;
}

const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1_000);

/** Money that is one too little goes to the invoice that it was meant for; money of nobody is put aside, and back. */
async function settleMoney({ page }: Visit, base: string): Promise<string> {
  const { transId, quoteId, to } = await quote('120.043518');
  await receiveUnmatched(site.database, to, { amount: '0.5', reason: 'unknown' });
  await receiveUnmatched(site.database, to, { amount: '119.043518', quoteId });
  await page.goto(`${base}/unmatched`);
  await expectTitle(page, 'Unmatched money');
  await page.getByText(`1.00 too little for ${transId}`).waitFor();
  await audit(page, 'unmatched money');
  await press(page, `Attach to ${transId}`);
  await page.getByRole('heading', { name: `It pays ${transId} now` }).waitFor();
  await audit(page, 'attached');
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
  return transId;
}

/** The invoice's event failed once; the page follows it until it arrives, and it is sent again. */
async function followEvent({ page }: Visit, base: string, transId: string): Promise<void> {
  await page.goto(`${base}/webhooks`);
  await expectTitle(page, 'Webhooks');
  await page.getByRole('link', { name: 'invoice.completed' }).click();
  await expectTitle(page, `invoice.completed for ${transId}`);
  await page.getByText('deadlock detected').waitFor();
  await page.getByText('Try 2: 200').waitFor();
  await audit(page, 'a webhook');
  await press(page, 'Send again');
  await page.getByText(/^Sent again by hand/).waitFor();
  await page.locator('section.card').filter({ hasText: 'Sent again by hand' }).getByText('Try 1: 200').waitFor();
  expect(receiver.requests).toHaveLength(3);
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
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const first = await readClipboard();
  expect(first).toMatch(/^whsec_/);
  await press(page, 'Make a new secret');
  await audit(page, 'new secret');
  await pressIn(page, 'Make a new secret');
  await page.getByText('The new secret is in use').waitFor();
  await pressIn(page, 'Copy new secret');
  await page.getByRole('dialog').getByText('Copied').first().waitFor();
  const second = await readClipboard();
  expect(second).toMatch(/^whsec_/);
  expect(second).not.toBe(first);
  expect(await page.content()).not.toContain(second);
  await pressIn(page, 'Done');
  await page.getByText(/The old one signs too until/).waitFor();
}

test('unmatched money is settled, webhooks are followed and sent again, and the audit log tells of it', async () => {
  const startedMs = performance.now();
  const visit = await signIn();
  const { page } = visit;
  const base = `${site.dashboardUrl}/m/${site.account}`;
  const transId = await settleMoney(visit, base);
  await followEvent(visit, base, transId);
  await useWebhooks(visit, base);
  await changeSecret(visit);

  await page.getByRole('link', { name: 'Audit log' }).first().click();
  await expectTitle(page, 'Audit log');
  await page.getByText('Made a new signing secret').waitFor();
  await page.getByText('Money was attached to an invoice').waitFor();
  await page.getByRole('button', { name: /^Details of: Put money aside as not ours/ }).click();
  await page.getByText('Dust from a stranger').waitFor();
  await audit(page, 'audit log');

  await page.evaluate(() => localStorage.setItem('counterfoil.language', 'ar'));
  await page.goto(`${base}/unmatched`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
  await audit(page, 'unmatched money in Arabic');
  await page.goto(`${base}/webhooks`);
  await page.getByRole('table').waitFor();
  await audit(page, 'webhooks in Arabic');
  expect(visit.faults).toEqual([]);
  const figures = { axe_audits: auditCount(), axe_violations: 0, journey_seconds: seconds(startedMs) };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
});
