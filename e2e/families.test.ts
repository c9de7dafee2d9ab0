import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import type { Demo } from '../apps/server/rig/site/demo-site.ts';
import { withDemo } from '../apps/server/rig/site/demo-site.ts';
import { choose, expectTitle, readOrder, visit } from './customer.ts';

/**
 * The demo as a person uses it, on a chain of every family and at an exchange platform: buy, select, pay with a button,
 * see the payment complete.
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

async function payWithButton(page: Page, path = '/wallet', name = 'Send exactly this'): Promise<void> {
  const app = await page.context().newPage();
  await app.goto(`${demo.shop.url}${path}`);
  await app.getByRole('button', { name }).click();
  await app.getByText('sent').waitFor();
  await app.close();
}

test.each([
  {
    token: 'USDT',
    network: 'BNB Smart Chain',
    chain: 'BSC',
    said: 'Send only USDT on BNB Smart Chain (BEP20)',
    link: /^ethereum:0x/,
  },
  {
    token: 'USDT',
    network: 'Tron',
    chain: 'TRC20',
    said: 'Send only USDT on Tron (TRC20)',
    link: /^https:\/\/link\.trustwallet\.com\/.*c195/,
  },
  { token: 'TRX', network: 'Tron', chain: 'TRC20', said: 'Send only TRX on Tron (TRC20)', link: /c195&/ },
  {
    token: 'USDC',
    network: 'Solana',
    chain: 'SOL',
    said: 'Send only USDC on Solana (SOL)',
    link: /^solana:[1-9A-HJ-NP-Za-km-z]+\?amount=25\.\d+&spl-token=EPj\w+&reference=[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  },
  {
    token: 'SOL',
    network: 'Solana',
    chain: 'SOL',
    said: 'Send only SOL on Solana (SOL)',
    link: /^solana:\w+\?amount=0\.\d+&reference=/,
  },
])(
  'an order in $token on $network is bought, selected, paid and shown as completed',
  async ({ token, network, chain, said, link }) => {
    const { page, context, faults } = await visit(browser, demo.shop.url);
    await page.getByRole('button', { name: 'Buy with crypto' }).first().click();
    await choose(page, token, network);
    await page.getByText(said).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await linksOf(page)).toContainEqual(expect.stringMatching(link));
    await payWithButton(page);
    await demo.makeFinal(chain);
    await expectTitle(page, 'Paid');
    await page.getByRole('link', { name: 'Return to' }).click();
    await page.waitForURL(`${demo.shop.url}/orders/**`);
    await page.getByText('Thank you. It is on its way.').waitFor();
    await page.getByText('invoice.completed').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  },
);

test('an order is paid in the app of an exchange platform, which the page says in its words, without a reload', async () => {
  const { page, context, faults, loads } = await visit(browser, demo.shop.url);
  await page.getByRole('button', { name: 'Buy with crypto' }).first().click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const [order] = demo.shop.orders.all();
  const opened = loads();
  await choose(page, 'USDT', 'Tron');
  await page.getByText('To this address').waitFor();
  await page.getByText('Pay with another token or network').click();
  await choose(page, 'Exchange accounts', 'Binance USDT');
  await page.getByText('Send only USDT, and only inside Binance').waitFor();
  const { amount, address } = await readOrder(page);
  expect(await page.locator('.guide li').allTextContents()).toEqual([
    'Open Binance and go to Pay, then Send.',
    `Enter the Binance ID ${address} as the recipient.`,
    `Enter exactly ${amount} USDT, with every digit.`,
    'Confirm. It arrives at once, and this page shows it by itself.',
  ]);
  await page.getByRole('button', { name: 'Copy Binance ID' }).waitFor();
  expect(await page.locator('.qr').count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await page.getByText('I have paid').click();
  await page.getByLabel('ID of the payment').fill('294163557804999999');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('does not show this payment yet').first().waitFor();
  await payWithButton(page, '/binance', 'Pay with the Binance app');
  await expectTitle(page, 'Paid');
  await page.getByText('Payment ID at Binance').waitFor();
  expect(loads()).toBe(opened);
  await page.waitForURL(`${demo.shop.url}/orders/${order?.id ?? ''}`);
  await page.getByText('invoice.completed').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
