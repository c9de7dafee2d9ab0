import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from './browser.ts';
import { servePreview } from './serve-preview.ts';

/** Takes the screenshots for the documents: `pnpm build && pnpm screenshots:checkout`. */

const FOLDER = join(import.meta.dirname, '../../../docs/images');
const PHONE = { width: 390, height: 800 };
const DESK = { width: 1_200, height: 760 };

type Shot = { state: string; name?: string; language?: string; theme?: 'dark'; desk?: true };

const SHOTS: Shot[] = [
  { state: 'choose' },
  { state: 'choose-many' },
  { state: 'pay' },
  { state: 'pay', name: 'pay-desk', desk: true },
  { state: 'pay', name: 'pay-dark', theme: 'dark' },
  { state: 'pay', name: 'pay-arabic', language: 'ar' },
  { state: 'pay-elsewhere' },
  { state: 'pay-elsewhere', name: 'pay-elsewhere-dark', theme: 'dark' },
  { state: 'pay-elsewhere', name: 'pay-elsewhere-desk', desk: true },
  { state: 'choose-elsewhere' },
  { state: 'pay-arrival' },
  { state: 'pay-tron' },
  { state: 'pay-solana' },
  { state: 'choose-exchanges' },
  { state: 'pay-binance' },
  { state: 'pay-binance', name: 'pay-binance-desk', desk: true },
  { state: 'pay-binance', name: 'pay-binance-dark', theme: 'dark' },
  { state: 'pay-binance', name: 'pay-binance-arabic', language: 'ar' },
  { state: 'paid-binance' },
  { state: 'processing' },
  { state: 'paid' },
  { state: 'checking' },
  { state: 'expired' },
  { state: 'cancelled' },
];

mkdirSync(FOLDER, { recursive: true });
const { origin, server } = await servePreview(0);
const browser = await launchBrowser();
for (const { state, name = state, language = 'en', theme = 'light', desk = false } of SHOTS) {
  const context = await browser.newContext({
    viewport: desk ? DESK : PHONE,
    colorScheme: theme,
    reducedMotion: 'reduce',
    hasTouch: !desk,
    isMobile: !desk,
  });
  const page = await context.newPage();
  await page.goto(`${origin}/bill/${state}?lang=${language}`);
  const path = join(FOLDER, `checkout-${name}.png`);
  await page.screenshot({ path, fullPage: !desk });
  // A palette of 64 colours makes a screenshot a third of the size, without a visible difference.
  const shrunk = spawnSync('pngquant', ['--force', '--strip', '--output', path, '64', path]).status === 0;
  console.log(shrunk ? path : `${path} (install pngquant to make it small)`);
  await context.close();
}
await browser.close();
server.closeAllConnections();
server.close();
