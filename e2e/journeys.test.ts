import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Browser, Page } from '../apps/checkout/preview/browser.ts';
import { findViolations, launchBrowser } from '../apps/checkout/preview/browser.ts';
import { makeFinal, makeSeen, resumeBlocks, stopBlocks } from '../apps/server/rig/chains/evm/live-chain.ts';
import { mine, reorg } from '../apps/server/rig/chains/evm/reorg.ts';
import {
  choose,
  createInvoice,
  expectTitle,
  payOrder,
  readOrder,
  readView,
  sendPayment,
  visit,
  WITHIN,
} from './customer.ts';
import { startTcpProxy } from '../apps/server/rig/fakes/tcp-proxy.ts';
import type { WalletCall } from './test-wallet.ts';
import { installWallet } from './test-wallet.ts';
import type { CheckoutSite } from '../apps/server/rig/site/checkout-site.ts';
import { openCheckoutSite } from '../apps/server/rig/site/checkout-site.ts';

let site: CheckoutSite;
let browser: Browser;
beforeAll(async () => {
  site = await openCheckoutSite(inject('template'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Time after which a page whose stream is closed has asked again, however often it failed before. */
const NEXT_POLL_MS = 40_000;
/** Time without heartbeats after which a page asks for itself. */
const SILENCE_MS = 45_000;

const toldOf = (transId: string) => site.shop.told.filter((told) => told.trans_id === transId);

const installClock = (page: Page) => page.clock.install();

describe('a customer', () => {
  test('selects, pays, sees the payment complete and is taken back to the shop, without a reload; the shop gets the event', async () => {
    const { url, transId } = await createInvoice(site, { name: 'Two bags of coffee' });
    const { page, context, faults, loads } = await visit(browser, url);
    await expectTitle(page, 'Choose how to pay');
    expect(await findViolations(page)).toEqual([]);
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    await page.getByText('Send only USDT on BNB Smart Chain (BEP20)').waitFor();
    expect(await findViolations(page)).toEqual([]);
    // Without new blocks the payment cannot be final before the page has shown that it was seen.
    await stopBlocks(site.chains.BSC);
    const hash = await payOrder(site, page, transId, 'BSC');
    await makeSeen(site.chains.BSC);
    await expectTitle(page, 'Payment seen');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await makeFinal(site.chains.BSC);
    await resumeBlocks(site.chains.BSC);
    await expectTitle(page, 'Paid');
    await page.getByText(hash).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.waitForURL(`${site.shop.url}/thanks**`);
    expect(loads()).toBe(1);
    await expect.poll(() => toldOf(transId), WITHIN).toMatchObject([{ event: 'invoice.completed' }]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('who pays a first choice after having changed to a second has paid', async () => {
    const { url, transId } = await createInvoice(site);
    const { page, context, faults } = await visit(browser, url);
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    const first = (await readView(site, transId)).quote;
    await page.getByText('Pay with another token or network').click();
    await choose(page, 'USDC', 'Ethereum');
    await page.getByText('Send only USDC on Ethereum (ERC20)').waitFor();
    await page.getByText('Also chosen for this invoice').waitFor();
    if (!first) throw new Error('Nothing was chosen.');
    await sendPayment(site.chains.BSC, first);
    await makeFinal(site.chains.BSC);
    await expectTitle(page, 'Paid');
    expect(await page.locator('.receipt').textContent()).toContain(first.amount);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('reads the same amount and address whatever a stranger with the link selects, and sees a notice', async () => {
    const { url, transId } = await createInvoice(site);
    const { page, context, faults, loads } = await visit(browser, url);
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    const chosen = await readOrder(page);
    const stranger = await fetch(`${site.api().url}/bill/${transId}/select`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ network: 'ETH', token: 'USDC' }),
    });
    expect(stranger.status).toBe(200);
    await page.getByRole('status').getByText('USDC on Ethereum was chosen').waitFor();
    expect(await readOrder(page)).toEqual(chosen);
    expect(await findViolations(page)).toEqual([]);
    expect(loads()).toBe(1);
    await page.reload();
    expect(await readOrder(page)).toEqual(chosen);
    await page.getByRole('link', { name: 'Español' }).click();
    await expectTitle(page, 'Envíe su pago');
    expect(await readOrder(page)).toEqual(chosen);
    await page.getByRole('link', { name: 'Ver USDC en Ethereum' }).click();
    await page.getByText('Envíe solo USDC por Ethereum (ERC20)').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('pays with a wallet of the browser in one click, on the right network, exactly', async () => {
    const { url, transId } = await createInvoice(site);
    const calls: WalletCall[] = [];
    const { page, context, faults } = await visit(browser, url, {
      prepare: (fresh) => installWallet(fresh, site, calls),
    });
    await choose(page, 'USDT', 'BNB Smart Chain');
    await page.getByRole('button', { name: 'Pay with Test Wallet' }).click();
    await page.locator('.note').getByText('Sent from your wallet.').waitFor();
    await makeFinal(site.chains.BSC);
    await expectTitle(page, 'Paid');
    expect(calls.map(({ method }) => method)).toContain('wallet_switchEthereumChain');
    expect(calls.filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1);
    expect((await readView(site, transId)).arrivals).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('who has only a keyboard can choose, copy, read the help and check a transaction', async () => {
    const { url } = await createInvoice(site);
    const { page, context } = await visit(browser, url);
    const focusOn = async (text: string) => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const element = document.activeElement;
          return `${element?.getAttribute('aria-label') ?? ''} ${element?.textContent ?? ''} ${element?.id ?? ''}`;
        });
        if (focused.includes(text)) return;
      }
      throw new Error(`${text} cannot be reached.`);
    };
    await focusOn('BNB Smart Chain');
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Send your payment');
    await focusOn('Copy amount');
    await focusOn('Copy address');
    await focusOn('Paying from an exchange?');
    await page.keyboard.press('Enter');
    await page.getByText('The shop must receive exactly').waitFor();
    await focusOn('I have paid');
    await page.keyboard.press('Enter');
    await focusOn('check-tx');
    await page.keyboard.type(`0x${'ab'.repeat(32)}`);
    await page.keyboard.press('Enter');
    await page.locator('.note').getByText('The network does not know this transaction yet.').waitFor();
    await context.close();
  });

  test('without JavaScript chooses and sees the payment arrive', async () => {
    const { url, transId } = await createInvoice(site);
    const { page, context } = await visit(browser, url, { javaScriptEnabled: false });
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    await payOrder(site, page, transId, 'BSC');
    await makeFinal(site.chains.BSC);
    await expectTitle(page, 'Paid');
    expect(await page.getByRole('link', { name: 'Return to' }).getAttribute('href')).toContain('/thanks');
    await context.close();
  });
});

describe('when things go wrong', () => {
  test('a payment that is reorganised away is unseen again, and counts when it comes back', async () => {
    const { url, transId } = await createInvoice(site);
    const { page, context } = await visit(browser, url);
    await choose(page, 'USDT', 'Ethereum');
    await expectTitle(page, 'Send your payment');
    await stopBlocks(site.chains.ETH);
    await payOrder(site, page, transId, 'ETH');
    await mine(site.chains.ETH, 4);
    await expectTitle(page, 'Payment seen');
    await page.getByText(/\d+ of 12 confirmations/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await reorg(site.chains.ETH, 5);
    await mine(site.chains.ETH, 3);
    await expectTitle(page, 'Send your payment');
    await payOrder(site, page, transId, 'ETH');
    await makeFinal(site.chains.ETH);
    await resumeBlocks(site.chains.ETH);
    await expectTitle(page, 'Paid');
    await context.close();
  });

  test('a server that restarts in the middle is found again by the page itself', async () => {
    const { url, transId } = await createInvoice(site);
    const { page, context, loads } = await visit(browser, url, { prepare: (fresh) => fresh.clock.install() });
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    const { quote } = await readView(site, transId);
    if (!quote) throw new Error('Nothing was chosen.');
    await site.stopApi();
    await page.clock.fastForward(NEXT_POLL_MS);
    await page.getByText('Reconnecting…').waitFor({ timeout: WITHIN.timeout });
    await sendPayment(site.chains.BSC, quote);
    await makeFinal(site.chains.BSC);
    await site.startApiAgain();
    await page.clock.fastForward(NEXT_POLL_MS);
    await expectTitle(page, 'Paid');
    expect(loads()).toBe(1);
    await context.close();
  });

  test('a phone that was offline catches up as soon as it is back', async () => {
    const { url, transId } = await createInvoice(site);
    const line = await startTcpProxy(Number(new URL(url).port));
    const { page, context, loads } = await visit(browser, line.through(url), { viewport: { width: 360, height: 740 } });
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    await context.setOffline(true);
    line.cut();
    await payOrder(site, page, transId, 'BSC');
    await makeFinal(site.chains.BSC);
    await page.getByText('Reconnecting…').waitFor({ timeout: WITHIN.timeout });
    await expect.poll(async () => (await readView(site, transId)).step, WITHIN).toBe('paid');
    await expectTitle(page, 'Send your payment');
    line.mend();
    await context.setOffline(false);
    await expectTitle(page, 'Paid');
    expect(loads()).toBe(1);
    await context.close();
    await line.stop();
  });

  test('a stream that died in silence is noticed by its missing heartbeats', async () => {
    const { url, transId } = await createInvoice(site);
    const line = await startTcpProxy(Number(new URL(url).port));
    const { page, context, loads } = await visit(browser, line.through(url), { prepare: installClock });
    // Waits for the stream of the selection: one that opens later would not be silenced.
    const streaming = page.waitForResponse((response) => /\/events\?.*token=USDT/.test(response.url()));
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    await streaming;
    line.silence();
    await payOrder(site, page, transId, 'BSC');
    await makeFinal(site.chains.BSC);
    await expect.poll(async () => (await readView(site, transId)).step, WITHIN).toBe('paid');
    await expectTitle(page, 'Send your payment');
    await page.clock.fastForward(SILENCE_MS);
    await expectTitle(page, 'Paid');
    expect(loads()).toBe(1);
    await context.close();
    await line.stop();
  });

  test('a short payment is shown with how much is missing', async () => {
    // The amount is far from every other open one, so that the payment can only belong to this order.
    const { url, transId } = await createInvoice(site, { amount: '137.50' });
    const { page, context } = await visit(browser, url);
    await choose(page, 'USDT', 'BNB Smart Chain');
    await expectTitle(page, 'Send your payment');
    const { quote } = await readView(site, transId);
    if (!quote?.injected) throw new Error('Nothing was chosen.');
    const unitsHex = `0x${(BigInt(quote.injected.unitsHex) - 3n * 10n ** 17n).toString(16)}`;
    await sendPayment(site.chains.BSC, { ...quote, injected: { ...quote.injected, unitsHex } });
    await makeFinal(site.chains.BSC);
    await page.getByText('Is this your payment?').waitFor({ timeout: WITHIN.timeout });
    await page.getByText('0.3 USDT too little').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await context.close();
  });
});
