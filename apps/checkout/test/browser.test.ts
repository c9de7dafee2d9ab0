import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations, launchBrowser, PAGE_HANG_MS } from '../preview/browser.ts';
import { LOOKS } from '../preview/fixtures.ts';
import { servePreview } from '../preview/serve-preview.ts';
import { LANGUAGES } from '../src/language.ts';

/** Checks every state of the page in a real browser: what a customer can read, reach and hear. */

let browser: Browser;
let preview: Awaited<ReturnType<typeof servePreview>>;

beforeAll(async () => {
  preview = await servePreview(0);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  preview.server.closeAllConnections();
  preview.server.close();
});

async function openPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PAGE_HANG_MS);
  return context.newPage();
}

/** The whole matrix asks axe for all rules in every language and theme. */
const isWhole = process.env['COUNTERFOIL_AXE'] === 'all';
const scriptOf = (language: string) => new Intl.Locale(language).maximize().script;
/** The first language of each script, right to left included, or all languages. */
const AUDITED = new Set(
  Object.keys(LANGUAGES).filter(
    (language, place, all) => isWhole || all.findIndex((one) => scriptOf(one) === scriptOf(language)) === place,
  ),
);
/** A theme changes colours only. */
const DARK_RULES = isWhole ? undefined : ['color-contrast'];
const PHONE = { width: 360, height: 740 };

const readTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const findLow = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('a, button, summary, input:not([type=hidden])')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 44)
      .map((element) => `lower than 44 px: ${element.outerHTML.slice(0, 120)}`),
  );

/** Faults of the page in its present theme. */
async function checkTheme(page: Page, isAudited: boolean, rules?: readonly string[]): Promise<string[]> {
  const wider = await readTooWide(page);
  return [...(wider > 0 ? [`${wider} px too wide`] : []), ...(isAudited ? await findViolations(page, rules) : [])];
}

async function checkState(page: Page, url: string, isAudited: boolean): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(url);
  const low = await findLow(page);
  // Folded content must be readable as well.
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  const light = await checkTheme(page, isAudited);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await checkTheme(page, isAudited, DARK_RULES);
  return [...low, ...light, ...dark.map((fault) => `dark: ${fault}`)];
}

describe.concurrent.each(Object.keys(LANGUAGES))('in %s', (language) => {
  test('every state has no axe violation, no error, no third party, nothing wider than a small phone and nothing to tap that is lower than 44 px', async () => {
    const page = await openPage({ viewport: PHONE });
    // A page that counts down to the shop's address would leave while a slow machine still audits it.
    await page.addInitScript(() => Object.assign(globalThis, { setInterval: () => 0 }));
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(preview.origin) && !url.startsWith('data:')) faults.push(`third party: ${url}`);
    });
    for (const name of LOOKS) {
      const found = await checkState(page, `${preview.origin}/bill/${name}?lang=${language}`, AUDITED.has(language));
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
    await page.context().close();
    expect(faults).toEqual([]);
  });
});

test('axe finds what is wrong with a page', async () => {
  const page = await openPage();
  await page.goto(`${preview.origin}/bill/pay`);
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('img')));
  expect(await findViolations(page)).toEqual(['image-alt at <img>']);
  await page.context().close();
});

test('a low button, a wide page and faint text are found', async () => {
  const page = await openPage({ viewport: PHONE });
  await page.goto(`${preview.origin}/bill/pay?lang=en`);
  await page.evaluate(() => {
    const low = Object.assign(document.createElement('button'), { textContent: 'low' });
    low.style.cssText = 'height: 43px; min-height: 0; width: 400px; color: #767676; background: #777';
    document.querySelector('main')?.append(low);
  });
  expect(await findLow(page)).toEqual([expect.stringMatching(/^lower than 44 px: <button/)]);
  const found = await checkTheme(page, true, ['color-contrast']);
  expect(found).toEqual([expect.stringMatching(/px too wide$/), expect.stringMatching(/^color-contrast at <button/)]);
  await page.context().close();
});

test('one tap copies the bare amount and the whole address', async () => {
  const page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${preview.origin}/bill/pay?lang=en`);
  await page.getByRole('button', { name: 'Copy amount' }).click();
  await page.getByText('Amount copied.').waitFor({ state: 'attached' });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('49.983127');
  await page.getByRole('button', { name: 'Copy address' }).click();
  await page.getByText('Address copied.').waitFor({ state: 'attached' });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('0x8894E0a0c962CB723c1976a4421c95949bE2D4E3');
  await page.context().close();
});

test('one tap copies the id of an exchange account, and is said in the words of its platform', async () => {
  const page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${preview.origin}/bill/pay-okx?lang=en`);
  await page.getByRole('button', { name: 'Copy OKX UID' }).click();
  await page.getByText('OKX UID copied.').waitFor({ state: 'attached' });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('44705892343619584');
  expect(await page.getByText('To this OKX UID').count()).toBe(1);
  await page.context().close();
});

test('the QR code is folded on a phone and open on a desktop', async () => {
  const page = await openPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${preview.origin}/bill/pay?lang=en`);
  const code = page.getByRole('img', { name: 'QR code' });
  await expect.poll(() => code.isVisible()).toBe(false);
  await page.locator('.qr summary').click();
  await expect.poll(() => code.isVisible()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.reload();
  await expect.poll(() => code.isVisible()).toBe(true);
  await page.context().close();
});

test('more than six methods can be searched', async () => {
  const page = await openPage();
  await page.goto(`${preview.origin}/bill/choose-many?lang=en`);
  await page.getByRole('searchbox').fill('usdc polygon');
  await expect.poll(() => page.locator('button.method:visible').count()).toBe(1);
  await page.getByRole('searchbox').fill('dogecoin');
  await page.getByText('Nothing here matches').waitFor();
  await page.context().close();
});

test('the language can be changed on the page, and stays in its address', async () => {
  const page = await openPage({ locale: 'en-GB' });
  await page.goto(`${preview.origin}/bill/pay`);
  await page.getByRole('link', { name: 'العربية' }).click();
  await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl');
  expect(page.url()).toBe(`${preview.origin}/bill/pay?lang=ar`);
  await page.context().close();
});
