import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { CheckoutSite } from '../../apps/server/rig/site/checkout-site.ts';
import { openCheckoutSite } from '../../apps/server/rig/site/checkout-site.ts';
import { createInvoice, readView, sendPayment, WITHIN } from '../customer.ts';
import type { Engine } from './engine.ts';
import { startFirefox } from './firefox.ts';
import { startWebKit } from './webkit.ts';

/** Where pictures of the page to pay on are kept; nowhere unless it is set. */
const PICTURES = process.env['COUNTERFOIL_PICTURES'];
const METHOD = 'form:has(input[value=USDT]):has(input[value=BSC]) button';

let site: CheckoutSite;
beforeAll(async () => {
  site = await openCheckoutSite(inject('template'));
});
afterAll(async () => {
  await site?.close();
});

const title = (engine: Engine) => engine.run(`return document.querySelector('h1')?.textContent`);
async function expectTitle(engine: Engine, wanted: string): Promise<void> {
  await expect.poll(() => title(engine), WITHIN).toBe(wanted);
}

async function payInvoice(engine: Engine): Promise<void> {
  const { url, transId } = await createInvoice(site);
  await engine.open(url);
  expect(await title(engine)).toBe('Choose how to pay');
  // A page that was loaded again would have lost this.
  await engine.run('window.loadedOnce = true');
  // Where there are many networks, those of a token are folded.
  await engine.run(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
  await engine.click(METHOD);
  await expectTitle(engine, 'Send your payment');
  const { quote } = await readView(site, transId);
  if (!quote) throw new Error('Nothing was chosen.');
  expect(await engine.run(`return document.querySelector('.address').textContent`)).toBe(quote.address);
  expect(await engine.run(`return document.querySelector('.amount-number').textContent`)).toBe(quote.amount);
  const bottom = await engine.run(
    `return [...document.querySelectorAll('.copy')].at(-1).getBoundingClientRect().bottom`,
  );
  if (PICTURES !== undefined)
    await writeFile(`${PICTURES}/${engine.name.replaceAll(/\W+/g, '-')}.png`, await engine.picture());
  // What has to be copied is on the first screen of a phone.
  expect(bottom).toBeLessThan(640);
  await sendPayment(site.chains.BSC, quote);
  await expectTitle(engine, 'Paid');
  expect(await engine.run('return window.loadedOnce')).toBe(true);
}

test.each([
  ['Firefox', startFirefox],
  ['WebKit', startWebKit],
])('in %s a customer chooses, pays and sees "Paid" without a reload', async (_name, start) => {
  const engine = await start();
  try {
    await payInvoice(engine);
  } finally {
    await engine.close();
  }
});
