import { expect } from 'vitest';
import { awaitMail } from '../../../apps/server/rig/people/mailed-site.ts';
import { audit } from '../audit.ts';
import { expectTitle, fill, openVisit, press, pressIn, readClipboard } from '../person.ts';
import type { Journey } from './journey.ts';
import { STORE } from './journey.ts';

const AIKO = { mail: 'aiko@northwind.example', name: 'Aiko Tanaka', password: 'three words of aiko' };

/** A colleague who may only look is invited. */
export async function invite({ visit: { page } }: Journey): Promise<void> {
  await page.getByRole('link', { name: 'Team' }).first().click();
  await expectTitle(page, 'Team');
  await press(page, 'Invite');
  await fill(page, 'Email', AIKO.mail);
  await audit(page, 'invite');
  await pressIn(page, 'Invite');
  await page.getByText('We sent an email with a link').waitFor();
  await audit(page, 'invited');
  await pressIn(page, 'Copy link');
  expect(await readClipboard(page)).toMatch(/\/invitation#[\w-]{43}$/);
  await pressIn(page, 'Done');
  await audit(page, 'team');
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await page.getByText('Added a passkey', { exact: true }).first().waitFor();
  await audit(page, 'team activity');
}

/**
 * The colleague follows the email, and finds neither the team nor the methods nor any button that changes something.
 */
export async function seeAsViewer({ site, browser, at }: Journey, transId: string): Promise<void> {
  const mail = await awaitMail(site, AIKO.mail, /Northwind Trading/);
  const visit = await openVisit(browser, site.dashboardUrl);
  const { page } = visit;
  await page.goto(mail.links[0] ?? '');
  await fill(page, 'Your name', AIKO.name);
  await fill(page, 'New password', AIKO.password);
  await press(page, 'Join');
  await expectTitle(page, 'Account & security');
  await page.getByRole('link', { name: 'Stores' }).first().click();
  await page.getByText(STORE).waitFor();
  expect(await page.getByRole('link', { name: STORE }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New store' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /API key|Rotate key/ }).count()).toBe(0);
  await page.goto(at(`/invoices/${transId}`));
  await page.getByText('Confirmed by two independent reads').waitFor();
  expect(await page.getByRole('button', { name: 'Resend webhook' }).count()).toBe(0);
  await page.goto(at('/team'));
  await page.getByText('Your role does not include this page').waitFor();
  await audit(page, 'no permission');
  await page.goto(`${site.dashboardUrl}/m/ACC-NOWHERE/stores`);
  await page.getByText('Page not found', { exact: true }).waitFor();
  await audit(page, 'not found');
  expect(visit.faults).toEqual([]);
  await visit.context.close();
}
