import { expect } from 'vitest';
import type { Page } from '../../apps/checkout/preview/browser.ts';
import { findViolations } from '../../apps/checkout/preview/browser.ts';

/**
 * What every state of a page must keep: axe finds nothing, and nothing is wider than the screen, in two widths, two
 * themes and two directions of writing. A run checks one of these eight appearances of each state: the first state of a
 * file is seen in the first one, the next state in the next one. `COUNTERFOIL_AXE=all pnpm e2e:dashboard` checks all of them.
 */

const WIDE = { width: 1_440, height: 900 };
const NARROW = { width: 390, height: 800 };
const LANGUAGES = ['en', 'ar'] as const;
const THEMES = ['light', 'dark'] as const;
type Appearance = {
  viewport: typeof WIDE;
  language: (typeof LANGUAGES)[number];
  theme: (typeof THEMES)[number];
};
const APPEARANCES: readonly Appearance[] = LANGUAGES.flatMap((language) =>
  THEMES.flatMap((theme) => [WIDE, NARROW].map((viewport) => ({ language, theme, viewport }))),
);

const looksAtAll = process.env['COUNTERFOIL_AXE'] === 'all';

const figures = { axe_states: 0, axe_audits: 0, axe_ms: 0 };
export const auditFigures = () => ({ ...figures, axe_ms: Math.round(figures.axe_ms) });

/** Chooses a language as another tab of the browser would, which leaves open dialogs and typed texts as they are. */
async function showIn(page: Page, language: string): Promise<void> {
  if ((await page.evaluate(() => document.documentElement.lang)) === language) return;
  await page.evaluate((newValue) => {
    const key = 'counterfoil.language';
    localStorage.setItem(key, newValue);
    dispatchEvent(new StorageEvent('storage', { key, newValue }));
  }, language);
  await page.waitForFunction((wanted) => document.documentElement.lang === wanted, language);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function look(page: Page, where: string, { viewport, theme, language }: Appearance): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: theme });
  await showIn(page, language);
  const seen = `${where}, ${viewport.width} px, ${theme}, ${language}`;
  // A theme changes colours alone: where all appearances are seen, the dark one is asked about contrast only.
  const rules = looksAtAll && theme === 'dark' ? ['color-contrast'] : undefined;
  expect({ seen, violations: await findViolations(page, rules) }).toEqual({ seen, violations: [] });
  figures.axe_audits += 1;
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, `${seen}: sideways scroll`).toBeLessThanOrEqual(0);
}

/** Runs axe on the page in this run's appearances, then restores its own. */
export async function audit(page: Page, where: string): Promise<void> {
  const startedMs = performance.now();
  const next = APPEARANCES[figures.axe_states % APPEARANCES.length];
  figures.axe_states += 1;
  for (const appearance of APPEARANCES) if (looksAtAll || appearance === next) await look(page, where, appearance);
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light' });
  await showIn(page, 'en');
  figures.axe_ms += performance.now() - startedMs;
}
