import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import type { Demo } from '../apps/server/rig/site/demo-site.ts';
import { withDemo } from '../apps/server/rig/site/demo-site.ts';
import { choose, expectTitle, visit } from './customer.ts';

/**
 * The demo as a person uses it, on a chain of every family: buy, select, pay with the wallet's button, see the payment
 * complete.
 */

let demo: Demo;
let browser: Browser;
const over = Promise.withResolvers<void>();
let ended: Promise<void>;
beforeAll(async () => {
  const up = Promise.withResolvers<Demo>();
  ended = withDemo(
    () => {},
    async (started) => {
      up.resolve(started);
      await over.promise;
    },
  );
  ended.catch(up.reject);
  demo = await up.promise;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  over.resolve();
  await ended;
});

const linksOf = (page: Page) =>
  page.locator('main a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));

async function payWithButton(page: Page): Promise<void> {
  const wallet = await page.context().newPage();
  await wallet.goto(`${demo.shop.url}/wallet`);
  await wallet.getByRole('button', { name: 'Send exactly this' }).click();
  await wallet.getByText('sent').waitFor();
  await wallet.close();
}

test.each([
  {
    token: 'USDT',
    network: 'BNB Smart Chain',
    said: 'Send only USDT on BNB Smart Chain (BEP20)',
    link: /^ethereum:0x/,
  },
  {
    token: 'USDT',
    network: 'Tron',
    said: 'Send only USDT on Tron (TRC20)',
    link: /^https:\/\/link\.trustwallet\.com\/.*c195/,
  },
  { token: 'TRX', network: 'Tron', said: 'Send only TRX on Tron (TRC20)', link: /c195&/ },
  {
    token: 'USDC',
    network: 'Solana',
    said: 'Send only USDC on Solana (SOL)',
    link: /^solana:[1-9A-HJ-NP-Za-km-z]+\?amount=25\.\d+&spl-token=EPj\w+&reference=[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  },
  {
    token: 'SOL',
    network: 'Solana',
    said: 'Send only SOL on Solana (SOL)',
    link: /^solana:\w+\?amount=0\.\d+&reference=/,
  },
])(
  'an order in $token on $network is bought, selected, paid and shown as completed',
  async ({ token, network, said, link }) => {
    const { page, context, faults } = await visit(browser, demo.shop.url);
    await page.getByRole('button', { name: 'Buy with crypto' }).first().click();
    await choose(page, token, network);
    await page.getByText(said).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await linksOf(page)).toContainEqual(expect.stringMatching(link));
    await payWithButton(page);
    await expectTitle(page, 'Paid');
    await page.waitForURL(`${demo.shop.url}/orders/**`);
    await page.getByText('Thank you. It is on its way.').waitFor();
    await page.getByText('invoice.completed').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  },
);
