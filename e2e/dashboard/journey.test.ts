import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { awaitMail, mailsTo } from '../../apps/server/rig/people/mailed-site.ts';
import { totpCode } from '../../apps/server/src/people/totp.ts';
import type { Visit } from './person.ts';
import { audit, auditCount, expectTitle, fill, openVisit, press, pressIn } from './person.ts';

let site: AppSite;
let browser: Browser;
beforeAll(async () => {
  [site, browser] = await Promise.all([openAppSite(inject('template')), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const MAREN = { mail: 'maren@northwind.example', name: 'Maren Lindqvist', password: 'three words of maren' };
const AIKO = { mail: 'aiko@northwind.example', name: 'Aiko Tanaka', password: 'three words of aiko' };
const BSC = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

const STEP_MS = 30_000;
const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1_000);

const linkIn = (links: readonly string[]) => links[0] ?? '';

/** Signs out. The browser offers the passkey by itself afterwards, which only a finger on the device accepts. */
async function signOut({ page, finger }: Visit, name: string): Promise<void> {
  await finger(false);
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectTitle(page, 'Sign in');
}

async function addWallet(
  { page }: Visit,
  network: string,
  address: string,
  prove?: () => Promise<void>,
): Promise<void> {
  await page.getByRole('button', { name: 'Add a wallet' }).first().click();
  await page.getByLabel(network).check();
  await pressIn(page, 'Continue');
  await fill(page, 'Address', address);
  await pressIn(page, 'Continue');
  await page.getByLabel('This wallet is mine').check();
  if (prove) await audit(page, 'add a wallet');
  await pressIn(page, 'Add wallet');
  await prove?.();
}

/** The colleague follows the mail, and finds neither the team nor the methods nor a button that changes anything. */
async function seeAsViewer(): Promise<void> {
  const mail = await awaitMail(site, AIKO.mail, /Northwind Trading/);
  const visit = await openVisit(browser, site.dashboardUrl);
  const { page } = visit;
  await page.goto(linkIn(mail.links));
  await fill(page, 'Your name', AIKO.name);
  await fill(page, 'New password', AIKO.password);
  await press(page, 'Join');
  await expectTitle(page, 'Your sign-in');
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await page.getByText('Coffee Roasters').waitFor();
  expect(await page.getByRole('link', { name: 'Coffee Roasters' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New store' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Copy API key/ }).count()).toBe(0);
  await page.goto(`${site.dashboardUrl}/m/${site.account}/team`);
  await page.getByText('Your role does not include this page').waitFor();
  await audit(page, 'no permission');
  await page.goto(`${site.dashboardUrl}/m/ACC-NOWHERE/stores`);
  await page.getByText('There is nothing here', { exact: true }).waitFor();
  await audit(page, 'not found');
  expect(visit.faults).toEqual([]);
  await visit.context.close();
}

test('an invited owner sets everything up, a colleague sees what the role allows, and a link in a mail locks', async () => {
  const startedMs = performance.now();
  await site.owner.browser.send('POST', `/accounts/${site.account}/team/invitations`, {
    mail: MAREN.mail,
    role: 'owner',
  });
  const invitation = await awaitMail(site, MAREN.mail, /Northwind Trading/);
  const visit = await openVisit(browser, site.dashboardUrl);
  const { page } = visit;

  // The invitation's link, a name and a password.
  await page.goto(linkIn(invitation.links));
  await expectTitle(page, 'Join Northwind Trading');
  await audit(page, 'invitation');
  await fill(page, 'Your name', MAREN.name);
  await fill(page, 'New password', 'short');
  await press(page, 'Join');
  await page.getByText('A password has at least 12 characters.').waitFor();
  await fill(page, 'New password', MAREN.password);
  await press(page, 'Join');
  await expectTitle(page, 'Your sign-in');

  // A passkey: the dialog that asks for the password comes in between, and the passkey is made afterwards.
  await press(page, 'Add a passkey');
  await audit(page, 'add a passkey');
  await fill(page, 'Name', 'Laptop');
  await pressIn(page, 'Create passkey');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await audit(page, 'step-up by password');
  await fill(page, 'Password', MAREN.password);
  await pressIn(page, 'Confirm');
  await page.getByText('Laptop').waitFor();

  // An authenticator app, whose picture holds the same secret as the text beside it.
  await press(page, 'Set up an app');
  const secret = (await page.locator('.dialog .hash bdi').textContent()) ?? '';
  await audit(page, 'authenticator app');
  await fill(page, 'Code from your authenticator', totpCode(secret, Date.now()));
  await pressIn(page, 'Confirm code');
  await page.getByText('These codes are shown this once').waitFor();
  expect(await page.locator('.codes li').count()).toBe(10);
  await audit(page, 'recovery codes');
  await pressIn(page, 'I have kept them');
  await audit(page, 'security');

  // Out, and in again by passkey alone.
  await signOut(visit, MAREN.name);
  await audit(page, 'sign in');
  await visit.finger(true);
  await press(page, 'Continue with a passkey');
  await expectTitle(page, 'Get your first payment');
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await page.getByText('No stores yet').waitFor();
  await audit(page, 'no stores');

  // Out, and in again by password and the app's code.
  await signOut(visit, MAREN.name);
  await fill(page, 'E-mail', MAREN.mail);
  await fill(page, 'Password', MAREN.password);
  await press(page, 'Continue with password');
  await page.getByText('Six digits, new every 30 seconds.').waitFor();
  await audit(page, 'second factor');
  await visit.finger(true);
  await fill(page, 'Code from your authenticator', totpCode(secret, Date.now() + STEP_MS));
  await press(page, 'Sign in');
  await expectTitle(page, 'Get your first payment');

  // A live store and its first wallet, which takes effect at once; the second one waits.
  await press(page, 'New store');
  await fill(page, 'Store', 'Coffee Roasters');
  await page.getByLabel('Live store').check();
  await audit(page, 'new store');
  await pressIn(page, 'Create store');
  await expectTitle(page, 'Connect Coffee Roasters');
  await page.getByRole('link', { name: 'Add where it receives' }).click();
  await expectTitle(page, 'Coffee Roasters');
  // Ten minutes pass: a sign-in with a second factor is proof enough until then.
  await site.database.pool.query('update sessions set elevated_until = null');
  await addWallet(visit, 'BNB Smart Chain', BSC, async () => {
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await audit(page, 'step-up by passkey');
    await pressIn(page, 'Confirm with a passkey');
  });
  await page.getByText('The store receives here now').waitFor();
  await pressIn(page, 'Done');
  await addWallet(visit, 'Tron (TRC20)', TRON);
  await page.getByText('Every owner got a mail and can stop it until then.').waitFor();
  await pressIn(page, 'Done');
  await page.getByRole('heading', { name: /A new Tron address takes effect in 2[34] h/ }).waitFor();
  await audit(page, 'methods with a change that waits');

  // The store's API key, which goes to the clipboard once it is sure who asks, and is never on the page.
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await expectTitle(page, 'Stores');
  await audit(page, 'stores');
  await site.database.pool.query('update sessions set elevated_until = null');
  await press(page, 'Copy API key of Coffee Roasters');
  await pressIn(page, 'Confirm with a passkey');
  await page.getByText('Copied').first().waitFor();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^cf_live_\w{20,}$/);
  expect(await page.content()).not.toContain(key);

  // A colleague who may only look.
  await page.getByRole('link', { name: 'Team' }).first().click();
  await expectTitle(page, 'Team');
  await press(page, 'Invite');
  await fill(page, 'E-mail', AIKO.mail);
  await audit(page, 'invite');
  await pressIn(page, 'Invite');
  await page.getByText('A mail with a link is on its way').waitFor();
  await audit(page, 'invited');
  await pressIn(page, 'Copy link');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/invitation\/[\w-]{43}$/);
  await pressIn(page, 'Done');
  await audit(page, 'team');
  await seeAsViewer();

  // The palette, by keys alone.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.type('coffee');
  await audit(page, 'palette');
  await page.keyboard.press('Enter');
  await expectTitle(page, 'Coffee Roasters');

  // A session that ended elsewhere: the page stays, and what was asked for goes on after signing in again.
  await press(page, 'Add a wallet');
  await pressIn(page, 'Continue');
  await fill(page, 'Address', BSC);
  await pressIn(page, 'Continue');
  await page.getByLabel('This wallet is mine').check();
  await page.context().clearCookies();
  await visit.finger(false);
  await pressIn(page, 'Add wallet');
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
  await audit(page, 'sign in again');
  await visit.finger(true);
  await pressIn(page, 'Continue with a passkey');
  await page.getByText('The store receives there already.').waitFor();
  await pressIn(page, 'Close');

  // The link in the mail locks, for whoever has it.
  const notice = await awaitMail(site, MAREN.mail, /./);
  const { links } = notice.links.some((link) => link.includes('/lock/'))
    ? notice
    : (mailsTo(site, MAREN.mail).findLast((mail) => mail.links.some((link) => link.includes('/lock/'))) ?? notice);
  await page.goto(links.find((link) => link.includes('/lock/')) ?? '');
  await expectTitle(page, 'Lock all changes of where money lands');
  await audit(page, 'lock by link');
  await press(page, 'Lock changes');
  await page.getByRole('heading', { name: 'Changes are locked' }).waitFor();
  await page.goto(`${site.dashboardUrl}/m/${site.account}/stores`);
  await page.getByRole('link', { name: 'Coffee Roasters' }).click();
  await page.getByRole('heading', { name: 'Changes are locked' }).waitFor();
  await page.getByText('Stopped by the lock').waitFor();
  await audit(page, 'locked methods');

  // Arabic: everything from right to left.
  await page.evaluate(() => localStorage.setItem('counterfoil.language', 'ar'));
  for (const path of ['stores', 'team']) {
    await page.goto(`${site.dashboardUrl}/m/${site.account}/${path}`);
    await page.getByRole('table').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
    await audit(page, `${path} in Arabic`);
  }
  await page.goto(`${site.dashboardUrl}/me/security`);
  await page.getByText('Laptop').waitFor();
  await audit(page, 'security in Arabic');
  expect(visit.faults).toEqual([]);
  const figures = { axe_audits: auditCount(), axe_violations: 0, journey_seconds: seconds(startedMs) };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
});
