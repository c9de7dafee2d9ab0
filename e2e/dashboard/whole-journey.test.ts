import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, onTestFailed, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { TradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { openTradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { auditFigures } from './audit.ts';
import { attachShort } from './journey/attach-short.ts';
import { exportInvoices } from './journey/export-invoices.ts';
import { readStory, sendAgain, watchList } from './journey/follow-invoice.ts';
import { invite, seeAsViewer } from './journey/invite-colleague.ts';
import type { Journey } from './journey/journey.ts';
import { createOrder } from './journey/journey.ts';
import { copyKey, openStore } from './journey/open-store.ts';
import { putAside, readAuditLog } from './journey/put-aside.ts';
import { endKeys, renewKey } from './journey/renew-key.ts';
import { changeBrand, changeSettings, chooseMails } from './journey/set-up-store.ts';
import { addApp, addPasskey, join, signInByApp, signInByPasskey } from './journey/sign-up.ts';
import { changeWallet, stopByMail } from './journey/stop-change.ts';
import { topUp } from './journey/top-up.ts';
import { changeSecret, useWebhooks } from './journey/use-webhooks.ts';
import { openVisit, requireNoFaults } from './person.ts';

/**
 * One merchant's whole way, in one run with all processes, a chain, emails and the merchant's own server: from an
 * invitation to a payment that is explained, reported and exported, and to a theft that a link in an email stops.
 */

let site: TradingSite;
let browser: Browser;
let journey: Journey;
beforeAll(async () => {
  [site, browser] = await Promise.all([openTradingSite(inject('template')), launchBrowser()]);
  const visit = await openVisit(browser, site.dashboardUrl);
  journey = { site, browser, visit, at: (path) => `${site.dashboardUrl}/m/${site.account}${path}` };
});
afterAll(async () => {
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  process.stdout.write(`${JSON.stringify({ journey_seconds: seconds, ...figures, ...auditFigures() })}\n`);
  await browser?.close();
  await site?.close();
});
let isBroken = false;
beforeEach(({ skip }) => {
  skip(isBroken, 'A chapter before this one failed.');
  onTestFailed(() => {
    isBroken = true;
  });
});
afterEach(() => requireNoFaults(journey.visit));

const startedMs = performance.now();
const figures = { calls_sent: 0, calls_failed: 0, exported_invoices: 0 };
const kept = { store: '', key: '', paid: '', short: '' };
const order = () => ({ merchantId: kept.store, apiKey: kept.key, amount: '49.98', name: 'Ethiopia Guji' });

test('who is invited signs up, adds a passkey and an app, and comes back with either', async () => {
  await join(journey);
  await addPasskey(journey);
  const secret = await addApp(journey);
  await signInByPasskey(journey);
  await signInByApp(journey, secret);
});

test('a store gets its first wallet at once and its key by the clipboard, and sells once it has a balance', async () => {
  kept.store = await openStore(journey);
  kept.key = await copyKey(journey);
  expect(await createOrder(journey, order())).toMatchObject({ error: 'INSUFFICIENT_BALANCE' });
  await topUp(journey);
});

test('an order that is paid on the chain turns green in the open list, explains itself, and is told again', async () => {
  const { transId } = await watchList(journey, order());
  kept.paid = transId;
  await readStory(journey, transId);
  await sendAgain(journey, transId);
});

test('a payment that is too small is attached to its invoice, and both are in the exported file', async () => {
  kept.short = await attachShort(journey, { ...order(), amount: '137.50', name: 'Green coffee' });
  figures.exported_invoices = await exportInvoices(journey, [kept.paid, kept.short]);
  expect(figures.exported_invoices).toBe(2);
});

test('events are tried and replayed, secrets change, money of a stranger is put aside, and the audit log tells of it', async () => {
  await useWebhooks(journey);
  await changeSecret(journey);
  await putAside(journey, kept.paid);
  await readAuditLog(journey);
});

test('a key is replaced with an overlap of a day, and no call fails; keys in use end only on purpose', async () => {
  const { sent, failed, second } = await renewKey(journey, kept.key, kept.paid);
  Object.assign(figures, { calls_sent: sent, calls_failed: failed });
  expect(failed).toBe(0);
  expect(sent).toBeGreaterThan(0);
  await endKeys(journey, { store: kept.store, transId: kept.paid, old: kept.key, current: second });
});

test('a store is set up: its rules, its look, and when its balance is low', async () => {
  await changeSettings(journey, kept.store);
  await changeBrand(journey);
  await chooseMails(journey);
});

test('a colleague who may look sees what happened, and nothing that changes anything', async () => {
  await invite(journey);
  await seeAsViewer(journey, kept.paid);
});

test('another wallet waits for a day, and the link in the mail stops it', async () => {
  await changeWallet(journey, kept.store);
  await stopByMail(journey, kept.store);
});
