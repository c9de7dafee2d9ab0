import { expect } from 'vitest';
import { awaitMail } from '../../../apps/server/rig/people/mailed-site.ts';
import { totpCode } from '../../../apps/server/src/people/totp.ts';
import { audit } from '../audit.ts';
import type { Visit } from '../person.ts';
import {
  confirmWhenAsked,
  continueByPasskey,
  expectTitle,
  fill,
  keepRecoveryCodes,
  press,
  pressIn,
} from '../person.ts';
import type { Journey } from './journey.ts';
import { MAREN } from './journey.ts';

const STEP_MS = 30_000;

/** Signs out. The browser then offers the passkey automatically, which only a finger on the device accepts. */
async function signOut({ page, finger }: Visit, name: string): Promise<void> {
  await finger(false);
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expectTitle(page, 'Sign in');
}

/** Joins the merchant by the invitation's link, with a name and a password. */
export async function join({ site, visit: { page } }: Journey): Promise<void> {
  const asked = { mail: MAREN.mail, role: 'owner' };
  await site.owner.browser.send('POST', `/accounts/${site.account}/team/invitations`, asked);
  const invitation = await awaitMail(site, MAREN.mail, /Northwind Trading/);
  await page.goto(invitation.links[0] ?? '');
  await expectTitle(page, 'Join Northwind Trading');
  await audit(page, 'invitation');
  await fill(page, 'Your name', MAREN.name);
  await fill(page, 'New password', 'short');
  await press(page, 'Join');
  await page.getByText('Use at least 12 characters.').waitFor();
  await fill(page, 'New password', MAREN.password);
  await press(page, 'Join');
  await expectTitle(page, 'Account & security');
}

/** A passkey: the dialog that asks for the password comes in between, and the passkey is made afterwards. */
export async function addPasskey({ visit }: Journey): Promise<void> {
  const { page } = visit;
  await press(page, 'Add a passkey');
  await audit(page, 'add a passkey');
  await fill(page, 'Name', 'Laptop');
  await pressIn(page, 'Create passkey');
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  await audit(page, 'step-up by password');
  await fill(page, 'Password', MAREN.password);
  await pressIn(page, 'Confirm');
  await page.getByText('These codes are shown only once').waitFor();
  await audit(page, 'recovery codes');
  expect(await keepRecoveryCodes(page)).toHaveLength(10);
  await page.getByText('Laptop').waitFor();
  await confirmWhenAsked(visit);
}

/** An authenticator app, whose picture holds the same secret as the text beside it. */
export async function addApp({ visit: { page } }: Journey): Promise<string> {
  await press(page, 'Set up an app');
  const secret = (await page.locator('.dialog .hash bdi').textContent()) ?? '';
  await audit(page, 'authenticator app');
  await fill(page, 'Code from your authenticator', totpCode(secret, Date.now()));
  await pressIn(page, 'Confirm code');
  await page.getByText('Six digits that change every 30 seconds.').waitFor({ state: 'detached' });
  await audit(page, 'security');
  return secret;
}

/** Out, and in again by passkey alone. */
export async function signInByPasskey({ visit }: Journey): Promise<void> {
  const { page } = visit;
  await signOut(visit, MAREN.name);
  await audit(page, 'sign in');
  await continueByPasskey(visit, page.getByRole('heading', { level: 1, name: 'Get your first payment', exact: true }));
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await page.getByText('No stores yet').waitFor();
  await audit(page, 'no stores');
}

/** Out, and in again by password and the app's next code. */
export async function signInByApp({ visit }: Journey, secret: string): Promise<void> {
  const { page } = visit;
  await signOut(visit, MAREN.name);
  await fill(page, 'Email', MAREN.mail);
  await fill(page, 'Password', MAREN.password);
  await press(page, 'Continue with password');
  await page.getByText('Six digits that change every 30 seconds.').waitFor();
  await audit(page, 'second factor');
  await fill(page, 'Code from your authenticator', totpCode(secret, Date.now() + STEP_MS));
  await press(page, 'Sign in');
  await expectTitle(page, 'Get your first payment');
  await visit.finger(true);
}
