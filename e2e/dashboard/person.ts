import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import type { RigPerson } from '../../apps/server/rig/people/make-person.ts';
import type { Browser, BrowserContext, Page } from '../../apps/checkout/preview/browser.ts';
import { PAGE_HANG_MS } from '../../apps/checkout/preview/browser.ts';

/** What people do in the dashboard's pages. */

export type Locator = ReturnType<Page['locator']>;
export type Visit = { page: Page; context: BrowserContext; faults: string[]; finger: (isOn: boolean) => Promise<void> };

/** From this status on a server says that the failure is its own. */
const HTTP_FAULT = 500;

/** A browser of one person, with a device that holds passkeys and says yes while a finger is on it. */
export async function openVisit(browser: Browser, origin: string): Promise<Visit> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1_440, height: 900 },
    reducedMotion: 'reduce',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  context.setDefaultTimeout(PAGE_HANG_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // The browser logs refusals that the page shows; failures are noted below.
    if (message.type() === 'error' && !/Failed to load resource/.test(text)) faults.push(text);
  });
  context.on('response', (response) => {
    if (response.status() >= HTTP_FAULT) faults.push(`${response.status()} from ${new URL(response.url()).pathname}`);
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

/** A browser in which the owner of the site's merchant is signed in. */
export const visitAsOwner = (browser: Browser, site: AppSite): Promise<Visit> => visitAs(browser, site, site.owner);

/** A browser with the session that a person has. */
export async function visitAs(browser: Browser, { dashboardUrl }: AppSite, person: RigPerson): Promise<Visit> {
  const visit = await openVisit(browser, dashboardUrl);
  const [name = '', value = ''] = person.browser.cookie.split('=');
  await visit.context.addCookies([{ name, value, url: dashboardUrl }]);
  return visit;
}

/** How long something may take that people wait for, on a machine that is busy. */
export const SOON = { interval: 50 };

export const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

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

/** Saves the recovery codes that a dialog shows, and confirms by typing the one that it asks for. */
export async function keepRecoveryCodes(page: Page): Promise<string[]> {
  await page.getByText('These codes are shown only once').waitFor();
  const codes = await page.locator('.codes li').allTextContents();
  const label = (await page.getByText(/^Enter code \d+ to confirm/).textContent()) ?? '';
  const position = Number(/\d+/.exec(label)?.[0]);
  await fill(page, label, codes[position - 1] ?? '');
  await pressIn(page, 'Confirm');
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor({ state: 'detached' });
  return codes;
}

/** From now on the person confirms by passkey whenever a page asks for it, as it does every ten minutes. */
export async function confirmWhenAsked({ page }: Visit): Promise<void> {
  await page.addLocatorHandler(page.getByRole('heading', { name: 'Confirm it’s you' }), () =>
    pressIn(page, 'Confirm with a passkey'),
  );
}

export async function expectTitle(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/**
 * Signs in by passkey: accepts on the device, presses the button, and waits for the page after sign-in. The browser
 * also offers the passkey automatically; if that is accepted first, the button is gone.
 */
export async function continueByPasskey({ page, finger }: Visit, next: Locator): Promise<void> {
  await finger(true);
  await Promise.any([press(page, 'Continue with a passkey'), next.waitFor()]);
  await next.waitFor();
}

/** Throws when the page reported an error since it was opened. */
export function requireNoFaults({ faults }: Visit): void {
  if (faults.length > 0) throw new Error(`The page reported errors: ${faults.join('; ')}`);
}
