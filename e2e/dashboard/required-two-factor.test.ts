import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { makeMember } from '../../apps/server/rig/people/make-member.ts';
import type { RigPerson } from '../../apps/server/rig/people/make-person.ts';
import { signInWithApp } from '../../apps/server/rig/people/make-person.ts';
import { totpCode } from '../../apps/server/src/people/totp.ts';
import { audit } from './audit.ts';
import type { Visit } from './person.ts';
import {
  expectTitle,
  fill,
  keepRecoveryCodes,
  press,
  pressIn,
  requireNoFaults,
  visitAs,
  visitAsOwner,
} from './person.ts';

/** An owner requires two-factor authentication, and a member who is at work has to set it up. */

let site: AppSite;
let browser: Browser;
let member: RigPerson;
let account: string;
beforeAll(async () => {
  [site, browser] = await Promise.all([openAppSite(inject('template')), launchBrowser()]);
  ({ account } = site);
  const { rows } = await site.database.pool.query<{ id: bigint }>('select id from merchants where code = $1', [
    account,
  ]);
  const of = { account, merchantAccountId: rows[0]?.id ?? 0n };
  member = (await makeMember(site, 'viewer', of)).person;
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const at = (path: string) => `${site.dashboardUrl}/m/${account}${path}`;
const REQUIRED = 'Northwind Trading requires two-factor authentication';

async function requireOfTeam({ page }: Visit): Promise<void> {
  await page.goto(at('/team'));
  await page.getByText('1 of 2 members have set it up.').waitFor();
  await page.getByRole('switch').click();
  await page.getByRole('dialog').getByText(member.mail).waitFor();
  await audit(page, 'require two-factor authentication');
  await pressIn(page, 'Require two-factor authentication');
  await page.getByText('None, no access').waitFor();
}

test('an owner without two-factor authentication is led to setting it up before requiring it', async () => {
  const visit = await visitAsOwner(browser, site);
  await visit.page.goto(at('/team'));
  await visit.page.getByText('Set it up for yourself first.').waitFor();
  expect(await visit.page.getByRole('switch').getAttribute('aria-disabled')).toBe('true');
  requireNoFaults(visit);
  await visit.context.close();
});

test('a member at work sees why the account is closed to them, sets up an app and continues', async () => {
  await signInWithApp(site.owner);
  const [owner, visit] = [await visitAsOwner(browser, site), await visitAs(browser, site, member)];
  const { page } = visit;
  await page.goto(at(''));
  await page.getByRole('link', { name: 'Invoices' }).first().waitFor();

  await requireOfTeam(owner);
  await page.getByRole('link', { name: 'Invoices' }).first().click();
  await page.getByRole('heading', { name: REQUIRED }).waitFor();
  expect(await page.getByRole('link', { name: 'Invoices' }).count()).toBe(0);
  await audit(page, 'two-factor authentication is required');

  await page.getByRole('link', { name: 'Set it up' }).click();
  await page.getByText('Two-factor authentication is required at Northwind Trading.').waitFor();
  await press(page, 'Set up an app');
  const secret = (await page.locator('.dialog .hash bdi').textContent()) ?? '';
  await fill(page, 'Code from your authenticator', totpCode(secret, Date.now()));
  await pressIn(page, 'Confirm code');
  await keepRecoveryCodes(page);
  await page.getByText('If you remove your last method').waitFor();
  await page.getByRole('link', { name: 'Invoices' }).first().click();
  await expectTitle(page, 'Invoices');
  requireNoFaults(visit);
  requireNoFaults(owner);
});
