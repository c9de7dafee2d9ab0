import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import { awaitMail } from '../../apps/server/rig/people/mailed-site.ts';
import type { TradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { openTradingSite } from '../../apps/server/rig/people/trading-site.ts';
import { audit } from './audit.ts';
import { countClicks } from './count-clicks.ts';
import type { Way } from './journey/go-live.ts';
import { addMethod, createBusiness, openLiveStore, sellOnce, topUpBalance } from './journey/go-live.ts';
import { keyboard, mouse } from './journey/hands.ts';
import { expectTitle, openVisit, requireNoFaults } from './person.ts';

/** A stranger signs up, opens a business and is paid, with one two-factor method and nothing that a user does not have. */

let site: TradingSite;
let browser: Browser;
beforeAll(async () => {
  const approval = { COUNTERFOIL_LIVE_APPROVAL: 'automatic' };
  [site, browser] = await Promise.all([openTradingSite(inject('template'), approval), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** The most clicks from the verified email address to the first live invoice that is paid. */
const MOST_CLICKS = 26;
const MOST_ARROWS = 20;
/** An address belongs to one merchant. */
const ADDRESSES = {
  mouse: '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3',
  keyboard: '0x28C6c06298d514Db089934071355E5743bf21d60',
};
const PASSWORD = 'three words of elena';

async function signUp({ journey, hands }: Way, mail: string): Promise<void> {
  const { page } = journey.visit;
  await page.goto(`${site.dashboardUrl}/sign-in`);
  await page.getByText('New here?').waitFor();
  expect(await page.getByText('Ask an owner of your account').count()).toBe(0);
  await hands.press(page.getByRole('link', { name: 'Sign up' }));
  await expectTitle(page, 'Sign up');
  await hands.type('Your name', 'Elena Okafor');
  await hands.type('Email', mail);
  await hands.type('New password', PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Sign up' }));
  await page.getByText('Check your inbox').waitFor();
  const { links } = await awaitMail(site, mail, 'Confirm your email address');
  await page.goto(links[0] ?? '');
  await hands.type('Password', PASSWORD);
  await hands.press(page.getByRole('button', { name: 'Confirm', exact: true }));
  await expectTitle(page, 'Create your business');
}

test.each([
  ['mouse', 'passkey', mouse, MOST_CLICKS],
  // Each arrow key in a group of choices counts as well.
  ['keyboard', 'app', keyboard, MOST_CLICKS + MOST_ARROWS],
] as const)('a stranger with %s and %s alone is paid for a first live invoice', async (name, method, handsOf, most) => {
  const visit = await openVisit(browser, site.dashboardUrl);
  const clicks = await countClicks(visit);
  const journey = { site, browser, visit, at: (path: string) => `${site.dashboardUrl}${path}` };
  const way: Way = { journey, hands: handsOf(visit.page) };
  const business = `Harbour ${name}`;
  await visit.finger(false);
  await signUp(way, `elena-${name}@harbour.example`);
  await visit.finger(true);
  if (name === 'mouse') await audit(visit.page, 'create a business');
  const startedAt = clicks();
  const steps: Record<string, number> = {};
  const step = async <Result>(title: string, taken: Promise<Result>): Promise<Result> => {
    const before = clicks();
    const result = await taken;
    steps[title] = clicks() - before;
    return result;
  };
  await step('business', createBusiness(way, business));
  await step('two-factor', addMethod(way, method));
  await step('live store and wallet', openLiveStore(way, `${business} live`, ADDRESSES[name]));
  await step('top-up', topUpBalance(way, `${business} live`));
  const transId = await step('invoice', sellOnce(way, `${business} live`));
  const all = clicks() - startedAt;
  process.stdout.write(`${JSON.stringify({ first_live_payment: { by: name, with: method, clicks: all, steps } })}\n`);
  expect(transId).toMatch(/^TID-/);
  expect(all).toBeLessThanOrEqual(most);
  requireNoFaults(visit);
  await visit.context.close();
});
