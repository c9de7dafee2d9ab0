import type { Page } from 'playwright-core';
import type { Shot } from './shot.ts';
import { ALL_VIEWS, press } from './shot.ts';
import type { World } from './world.ts';

/** Pictures of signing in, of the first page, and of the wizard for a wallet. */

const ADDRESS = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

/** The steps of the wizard up to one of them. */
const wizard =
  (address?: string, steps = 1) =>
  async (page: Page) => {
    await page.getByRole('button', { name: 'Add a wallet' }).first().click();
    if (address === undefined) return;
    for (let step = 0; step < steps; step += 1) {
      await page.getByRole('button', { name: 'Continue' }).click();
      if (step === 0) await page.getByLabel('Address', { exact: true }).fill(address);
    }
  };

const exchange = async (page: Page) => {
  await wizard()(page);
  await page.getByLabel('Exchange account').check();
  await page.getByRole('button', { name: 'Continue' }).click();
};

const enterPassword =
  ({ owner }: World['site']) =>
  async (page: Page) => {
    await page.getByLabel('Email').fill(owner.mail);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: 'Continue with password' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).waitFor();
  };

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('New password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Show' }).first().click();
}

const requireTwoFactor = (page: Page) => page.getByRole('switch').click();

/** What people do on their first day: signing in, the first page, where a store receives, and who else comes in. */
export function homeShots({ site, base, stores: { bean, test } }: World): Shot[] {
  const methods = `${base}/stores/${bean}/methods`;
  return [
    { name: 'second-factor', path: '/sign-in', who: 'nobody', before: enterPassword(site), views: ALL_VIEWS },
    { name: 'home-table', path: `${base}?range=week`, before: press('Show as table') },
    { name: 'start-invoice', path: `${base}/stores/${test}/start`, before: press('Create test invoice') },
    { name: 'wallet-network', path: methods, before: wizard() },
    { name: 'wallet-foreign', path: methods, before: wizard(TRON) },
    { name: 'wallet-address', path: methods, before: wizard(ADDRESS) },
    { name: 'wallet-confirm', path: methods, before: wizard(ADDRESS, 2) },
    { name: 'wallet-exchange', path: methods, before: exchange },
    { name: 'methods-lock', path: methods, before: press('Lock changes') },
    { name: 'team-invite', path: `${base}/team`, before: press('Invite') },
    { name: 'security-password', path: '/me/security', before: typePassword },
    { name: 'team-require', path: `${base}/team`, before: requireTwoFactor },
  ];
}
