import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../../apps/checkout/preview/browser.ts';
import { launchBrowser } from '../../apps/checkout/preview/browser.ts';
import type { AppSite } from '../../apps/server/rig/people/app-site.ts';
import { openAppSite } from '../../apps/server/rig/people/app-site.ts';
import { awaitMail, tokenIn } from '../../apps/server/rig/people/mailed-site.ts';
import type { RigPerson } from '../../apps/server/rig/people/make-person.ts';
import { makePerson, signInWithApp } from '../../apps/server/rig/people/make-person.ts';
import { forgetChanges, stealAddress } from '../../apps/server/rig/people/take-over.ts';
import { openVisit, requireNoFaults } from './person.ts';

let site: AppSite;
let browser: Browser;
beforeAll(async () => {
  site = await openAppSite(inject('template'));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

let stolen = 0;

/** A person whose email address was replaced in their own session, and their undo link. */
async function takenOver(): Promise<{ person: RigPerson; address: string; token: string }> {
  const person = await makePerson(site);
  await signInWithApp(person);
  await forgetChanges(site, person);
  const address = `stolen-${(stolen += 1)}@thief.test`;
  return { person, address, token: await stealAddress(site, person, address) };
}

const press = (name: string) => ({ name, exact: true });

async function openLink(path: string) {
  const visit = await openVisit(browser, site.dashboardUrl);
  await visit.page.goto(`${site.dashboardUrl}${path}`);
  return visit;
}

test('an account is restored by a recovery code of before, after which the link no longer works', async () => {
  const { person, token } = await takenOver();
  const visit = await openLink(`/undo#${token}`);
  const { page } = visit;
  await page.getByRole('button', press('End all sessions and continue')).click();
  await page.getByText(person.mail).waitFor();
  expect(await person.browser.send('GET', '/me')).toMatchObject({ status: 401 });
  await page.getByRole('button', press('Use a recovery code')).click();
  await page.getByLabel('Recovery code').fill(person.recoveryCodes?.[0] ?? '');
  await page.getByRole('button', press('Restore now')).click();
  await page.getByText('Your account is restored').waitFor();
  expect(await visit.context.cookies()).toEqual([]);
  await page.reload();
  await page.getByRole('button', press('End all sessions and continue')).click();
  await page.getByText('This link no longer works').waitFor();
  requireNoFaults(visit);
  await visit.context.close();
});

test('without an earlier method the restore waits, and the new address stops it', async () => {
  const { token, address } = await takenOver();
  const visit = await openLink(`/undo#${token}`);
  const { page } = visit;
  await page.getByRole('button', press('End all sessions and continue')).click();
  await page.getByText('I have none of these').click();
  await page.getByRole('button', press('Restore in 24 hours')).click();
  await page.getByText(/^The restore takes effect on /).waitFor();
  const stopping = tokenIn(await awaitMail(site, address, 'Your earlier sign-in details will be restored'));
  const other = await openLink(`/undo/stop#${stopping}`);
  await other.page.getByRole('button', press('Stop the restore')).click();
  await other.page.getByText('The restore is stopped').waitFor();
  for (const one of [visit, other]) {
    requireNoFaults(one);
    await one.context.close();
  }
});
