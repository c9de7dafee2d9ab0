import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import { awaitMail } from '../../apps/server/rig/people/mailed-site.ts';
import type { TradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { openTradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { countClicks } from './count-clicks.ts';
import { MAREN } from './journey/journey.ts';
import type { Visit } from './person.ts';
import { expectTitle, fill, openVisit, press, pressIn, requireNoFaults } from './person.ts';

/** How far it is for a new merchant from the link in the invitation to a paid test invoice, in clicks. */

let site: TradingSite;
let browser: Browser;
let visit: Visit;
beforeAll(async () => {
  [site, browser] = await Promise.all([openTradingSite(inject('template')), launchBrowser()]);
  visit = await openVisit(browser, site.dashboardUrl);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** The most clicks that a first paid test invoice may take. */
const MOST_CLICKS = 10;

test('a new merchant has a paid test invoice after a handful of clicks, without a line of code', async () => {
  const { page } = visit;
  const clicks = await countClicks(visit);
  const asked = { mail: MAREN.mail, role: 'owner' };
  await site.owner.browser.send('POST', `/accounts/${site.account}/team/invitations`, asked);
  const invitation = await awaitMail(site, MAREN.mail, /Northwind Trading/);
  const startedMs = performance.now();

  await page.goto(invitation.links[0] ?? '');
  await fill(page, 'Your name', MAREN.name);
  await fill(page, 'New password', MAREN.password);
  await press(page, 'Join');
  await expectTitle(page, 'Account & security');
  await page.getByRole('link', { name: 'Home' }).first().click();
  await expectTitle(page, 'Get your first payment');
  await press(page, 'New store');
  await fill(page, 'Store', 'Harbour Books');
  await pressIn(page, 'Create store');
  await expectTitle(page, 'Connect Harbour Books');
  await press(page, 'Create test invoice');
  await page.getByRole('link', { name: 'Open the invoice' }).click();
  await press(page, 'Pay it (test)');
  await page.getByRole('menuitem', { name: 'Pay in full' }).click();
  await page.getByText('Completed', { exact: true }).first().waitFor();

  const figures = { clicks: clicks(), seconds: Math.round((performance.now() - startedMs) / 1_000) };
  process.stdout.write(`${JSON.stringify({ first_payment: figures })}\n`);
  expect(figures.clicks).toBeLessThanOrEqual(MOST_CLICKS);
  requireNoFaults(visit);
});
