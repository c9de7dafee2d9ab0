import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../checkout/preview/browser.ts';
import { createTemplate, dropTemplate } from '../../server/rig/database/template-database.ts';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { openAppSite } from '../../server/rig/people/app-site.ts';
import { openTradeStore } from '../../server/rig/people/trade-rows.ts';
import { invoiceShots, prepareInvoices } from './invoice-shots.ts';
import type { Shot } from './shot.ts';
import { prepareWebhooks, webhookShots } from './webhooks-shots.ts';
import { moneyShots, prepareMoney } from './money-shots.ts';
import { homeShots, newHomeShots, prepareHome } from './home-shots.ts';

/** Takes pictures of pages and their states into a folder that is named: `pnpm build && pnpm screenshots:dashboard FOLDER`. */

const FOLDER = process.argv[2] ?? '/tmp/counterfoil-screenshots';
/** Only pictures whose names begin like this; all of them unless it is named. */
const ONLY = process.argv[3] ?? '';
/** Pages that are also shown from right to left. */
const IN_ARABIC = new Set([
  'stores',
  'home',
  'invoices',
  'invoice',
  'unmatched',
  'webhooks',
  'webhook',
  'audit',
  'money-stores',
  'money-balance',
  'money-exports',
  'money-general',
]);
const SIZES = [
  { width: 1_440, height: 900 },
  { width: 390, height: 800 },
];
const LONG_NAME = 'Northwind Coffee Roasters and Tea Merchants of the Old Harbour';

/** Stores and people whose names are long, short, live and for tests. */
async function prepare({ owner, account }: AppSite): Promise<string> {
  const send = async (method: string, path: string, body?: unknown) =>
    (await owner.browser.send(method, `/accounts/${account}${path}`, body)).body.data ?? {};
  const made = await send('POST', '/stores', { name: 'Coffee Roasters', mode: 'live' });
  await send('POST', '/stores', { name: LONG_NAME, mode: 'live' });
  await send('POST', '/stores', { name: 'Test shop', mode: 'test' });
  await send('POST', '/team/invitations', { mail: 'sam@northwind.example', role: 'developer' });
  return String(made['merchant_id']);
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

function shotsOf({ account }: AppSite, store: string): Shot[] {
  const base = `/m/${account}`;
  return [
    { name: 'stores', path: `${base}/stores` },
    { name: 'stores-new', path: `${base}/stores`, before: press('New store') },
    { name: 'methods', path: `${base}/stores/${store}/methods` },
    { name: 'team', path: `${base}/team` },
    { name: 'team-invite', path: `${base}/team`, before: press('Invite') },
    { name: 'security', path: '/me/security' },
    {
      name: 'palette',
      path: `${base}/stores`,
      before: async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.keyboard.press('Control+k');
      },
    },
    {
      name: 'error',
      path: `${base}/team`,
      before: async (page) => {
        await page.route('**/api/dashboard/**/team', (route) =>
          route.fulfill({
            status: 500,
            json: { status: 'error', error_code: 'INTERNAL_ERROR', request_id: 'aB3dE5fG7hJ9' },
          }),
        );
        await page.reload();
        await page.getByText('We could not load this').waitFor();
      },
    },
  ];
}

async function take(browser: Browser, site: AppSite, shots: readonly Shot[], language = 'en'): Promise<void> {
  const [name = '', value = ''] = site.owner.browser.cookie.split('=');
  for (const viewport of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', locale: language });
      // A member's own language counts more than the browser's, and the one chosen here more than both.
      await context.addInitScript((chosen) => localStorage.setItem('counterfoil.language', chosen), language);
      if (name !== '') await context.addCookies([{ name, value, url: site.dashboardUrl }]);
      for (const shot of shots) {
        const page = await context.newPage();
        await page.goto(`${site.dashboardUrl}${shot.path}`, { waitUntil: 'networkidle' });
        await shot.before?.(page);
        await page.waitForLoadState('networkidle');
        const theme = colorScheme === 'dark' ? '-dark' : '';
        const path = join(
          FOLDER,
          `${shot.name}-${viewport.width}${theme}${language === 'en' ? '' : `-${language}`}.png`,
        );
        await page.screenshot({ path, fullPage: true });
        console.log(path);
        await page.close();
      }
      await context.close();
    }
  }
}

const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; use pnpm screenshots:dashboard.');
mkdirSync(FOLDER, { recursive: true });
const template = await createTemplate(adminUrl);
const site = await openAppSite(template);
const browser = await launchBrowser();
try {
  const store = await prepare(site);
  const fresh = newHomeShots(site);
  await take(
    browser,
    site,
    fresh.filter(({ name }) => name.startsWith(ONLY)),
  );
  const home = await prepareHome(site);
  const money = await prepareMoney(site);
  const trade = await prepareInvoices(site, await openTradeStore(site, 'Coffee bar'));
  const webhooks = await prepareWebhooks(site);
  const shots = [
    ...shotsOf(site, store),
    ...homeShots(site, home),
    ...moneyShots(site, money),
    ...invoiceShots(site, trade),
    ...webhookShots(site, webhooks),
  ].filter(({ name }) => name.startsWith(ONLY));
  await take(browser, site, shots);
  await take(
    browser,
    site,
    shots.filter(({ name }) => IN_ARABIC.has(name)),
    'ar',
  );
  site.owner.browser.cookie = '';
  await take(browser, site, [{ name: 'sign-in', path: '/sign-in' }]);
} finally {
  await browser.close();
  await site.close();
  await dropTemplate(template);
}
