import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

/** Bounds hangs of a page and of the browser's start; no test depends on it. */
export const PAGE_HANG_MS = 120_000;

type LaunchOptions = {
  /** Flags besides the usual ones. */
  flags?: readonly string[];
  /** Folder where the browser looks for what belongs to its user. */
  home?: string;
};

export function launchBrowser({ flags = [], home }: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath(),
    timeout: PAGE_HANG_MS,
    args: [...FLAGS, ...flags],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  });
}

export { FLAGS as BROWSER_FLAGS };
export type { Browser, BrowserContext, Page };

const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Axe = {
  run(where: unknown, options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/**
 * Accessibility violations that axe finds on a page in its present state, one line each; of the given rules only, if any
 * are given. Axe is loaded once per document.
 */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('Frames are not searched.');
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE_SOURCE);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const runOnly = only && { type: 'rule', values: only };
    const { violations } = await axe.run(document, { resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return violations.map(
      ({ id, nodes }) =>
        `${id} at ${nodes
          .map(({ html }) => html)
          .join(' | ')
          .slice(0, 400)}`,
    );
  }, rules);
}
