import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

/** Flags of headless Chromium; the last two keep it from making requests of its own. */
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

type LaunchOptions = {
  /** Flags besides the usual ones. */
  flags?: readonly string[];
  /** Folder where the browser looks for what belongs to its user. */
  home?: string;
};

export function launchBrowser({ flags = [], home }: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath(),
    args: [...FLAGS, ...flags],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  });
}

export { FLAGS as BROWSER_FLAGS };
export type { Browser, BrowserContext, Page };

/**
 * Accessibility violations that axe finds on a page in its present state, one line each. Pages have no frames: one run in
 * the page finds the same as runs that a second page puts together, in less than half the time.
 */
export async function findViolations(page: Page): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('A page with frames is not searched as a whole.');
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.html ?? ''}`);
}
