import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Shot, View } from './shot.ts';
import { TWO_VIEWS } from './shot.ts';
import { IN_DOCUMENTS } from './document-pictures.ts';
import { failAlways, keepSilent } from './weather.ts';
import type { World } from './world.ts';

/** Opens the page of a shot once, and takes its pictures in all its views. */

const SIZES = { desk: { width: 1_440, height: 900 }, phone: { width: 390, height: 800 } } as const;
/** WebP of this quality has a quarter of a PNG's size, and text can be read well. */
const QUALITY = 55;
/** Pictures in documents are looked at longer. */
const DOCUMENT_QUALITY = 80;
/** Longer pages are cut: the rest repeats what is above. */
const MAX_HEIGHT = 2_400;
/** Unfinished parts: skeletons, the place of a chart, and a dialog that the URL asks for. */
const UNFINISHED = '[aria-busy="true"], .chart-box:empty, .chart-card:empty';
const ASKS_DIALOG = /[?&](?:topup|create|invoice|new)=/;
/** Time limit of one page: long, because pictures are also taken on busy machines. */
const PATIENCE_MS = 90_000;
let contexts = 0;

async function openContext(browser: Browser, { site, cookies }: World, shot: Shot): Promise<BrowserContext> {
  const { language = 'en', who = 'owner', views = TWO_VIEWS } = shot;
  contexts += 1;
  const context = await browser.newContext({
    viewport: SIZES[views[0]?.startsWith('phone') === true ? 'phone' : 'desk'],
    // Each browser has an IP address of its own, because the server limits the requests of an address.
    extraHTTPHeaders: { 'x-forwarded-for': `10.8.${contexts >> 8}.${contexts & 255}` },
    locale: language === 'en' ? 'en-GB' : language,
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  // A member's own language counts more than the browser's, and the one chosen here more than both.
  await context.addInitScript((chosen) => localStorage.setItem('counterfoil.language', chosen), language);
  const [name = '', value = ''] = cookies[who].split('=');
  if (name !== '') await context.addCookies([{ name, value, url: site.dashboardUrl }]);
  return context;
}

/** States with repeated failing requests, so that the page never becomes idle. */
const isLost = (name: string) => /-(?:stale|offline)$/.test(name);

/** Waits until nothing is on its way, and everything that was has been drawn. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction((selector) => document.querySelector(selector) === null, UNFINISHED);
}

async function openPage(context: BrowserContext, url: string, { weather, before, name }: Shot): Promise<Page> {
  const page = await context.newPage();
  if (isLost(name)) await page.clock.install();
  if (weather === 'silent') await keepSilent(page);
  if (weather === 'failing') await failAlways(page);
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('h1').first().waitFor();
  if (weather !== 'silent') await settle(page);
  if (ASKS_DIALOG.test(url)) await page.getByRole('dialog').waitFor();
  await before?.(page);
  if (weather === undefined && !isLost(name)) await settle(page);
  return page;
}

/** Shows the page in a view: as long as it is, unless a dialog floats above what can be seen of it. */
async function show(page: Page, view: View, cut: boolean): Promise<void> {
  const [size, theme] = view.split('-') as ['desk' | 'phone', 'light' | 'dark'];
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize(SIZES[size]);
  const height = await page.evaluate(
    (isCut) =>
      isCut || document.querySelector('[role=dialog], [role=alertdialog]') ? 0 : document.documentElement.scrollHeight,
    cut,
  );
  const { width, height: least } = SIZES[size];
  if (height > least) await page.setViewportSize({ width, height: Math.min(height, MAX_HEIGHT) });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Takes the pictures of a shot into a folder; returns their names, and what is wider than the screen. */
export async function takePictures(
  browser: Browser,
  world: World,
  shot: Shot,
  folder: string,
): Promise<{ names: string[]; bytes: number; faults: string[] }> {
  const context = await openContext(browser, world, shot);
  const taken = { names: [] as string[], bytes: 0, faults: [] as string[] };
  try {
    const page = await openPage(context, `${world.site.dashboardUrl}${shot.path}`, shot);
    const session = await context.newCDPSession(page);
    for (const view of shot.views ?? TWO_VIEWS) {
      await show(page, view, shot.cut === true);
      const name = `${shot.name}-${view}.webp`;
      const quality = IN_DOCUMENTS.has(name) ? DOCUMENT_QUALITY : QUALITY;
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
      const picture = Buffer.from(data, 'base64');
      await writeFile(join(folder, name), picture);
      taken.names.push(name);
      taken.bytes += picture.length;
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) taken.faults.push(`${name}: ${overflow} px wider than the screen`);
    }
    return taken;
  } finally {
    await context.close();
  }
}
