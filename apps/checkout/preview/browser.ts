import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Debian's browser; it fetches nothing of its own. */
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function browserPath(): string {
  return process.env['COUNTERFOIL_CHROMIUM'] ?? PLACES[0] ?? '';
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath(), args: FLAGS });
}

export { FLAGS as BROWSER_FLAGS };
