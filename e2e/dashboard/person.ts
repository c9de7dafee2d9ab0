import { expect } from 'vitest';
import type { Browser, BrowserContext, Page } from '../../apps/checkout/preview/browser.ts';
import { findViolations } from '../../apps/dashboard/preview/find-violations.ts';

/** What people do in the dashboard's pages, and what every page they see must keep. */

export type Visit = { page: Page; context: BrowserContext; faults: string[]; finger: (isOn: boolean) => Promise<void> };

/** A browser of one person, with a device that holds passkeys and says yes while a finger is on it. */
export async function openVisit(browser: Browser, origin: string): Promise<Visit> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1_440, height: 900 },
    reducedMotion: 'reduce',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // A refusal that the page words for the reader is logged by the browser all the same.
    if (message.type() === 'error' && !/Failed to load resource/.test(text)) faults.push(text);
  });
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const finger = async (enabled: boolean) => {
    await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  };
  return { page, context, faults, finger };
}

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

/** Presses a button of the dialog that is open. */
export const pressIn = (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true }).click();

export const fill = (page: Page, label: string, text: string) =>
  page
    .locator('input')
    .and(page.getByLabel(label, { exact: true }))
    .last()
    .fill(text);

export async function expectTitle(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

const SIZES = [
  { width: 1_440, height: 900 },
  { width: 390, height: 800 },
];

let audits = 0;
export const auditCount = () => audits;

/**
 * Looks at the page as it is now, light and dark, wide and narrow: axe finds nothing, and nothing is wider than the
 * screen. A theme changes colours alone, so the second one is asked about contrast only.
 */
export async function audit(page: Page, where: string): Promise<void> {
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      audits += 1;
      const found = await findViolations(page, colorScheme === 'light' ? undefined : ['color-contrast']);
      expect(found, `${where}, ${viewport.width} px, ${colorScheme}`).toEqual([]);
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${where}, ${viewport.width} px: sideways scroll`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(SIZES[0] ?? { width: 1_440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}
