import { mailsTo } from '../../../apps/server/rig/people/mailed-site.ts';
import { waitUntil } from '../../../apps/server/rig/processes/wait-until.ts';
import { audit } from '../audit.ts';
import { continueByPasskey, expectTitle, press, pressIn } from '../person.ts';
import type { Journey } from './journey.ts';
import { MAREN, STORE } from './journey.ts';
import { addWallet, BSC } from './open-store.ts';

const OTHER = '0x28C6c06298d514Db089934071355E5743bf21d60';
const MAIL_WITHIN = { what: 'No mail has a link that locks.', pollMs: 50 };

/** Another wallet for the same network waits a day; a session that ended elsewhere is no reason to begin again. */
export async function changeWallet(journey: Journey, store: string): Promise<void> {
  const { visit, at } = journey;
  const { page } = visit;
  await page.goto(at(`/stores/${store}/methods`));
  await expectTitle(page, STORE);
  await addWallet(journey, 'BNB Smart Chain', OTHER);
  await page.getByText('All owners were notified by email and can stop it until then.').waitFor();
  await pressIn(page, 'Done');
  await page.getByRole('heading', { name: /A new BNB Smart Chain address takes effect in 2[34] h/ }).waitFor();
  await audit(page, 'methods with a change that waits');

  await page.context().clearCookies();
  await visit.finger(false);
  await addWallet(journey, 'BNB Smart Chain', BSC);
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
  await audit(page, 'sign in again');
  await continueByPasskey(visit, page.getByText('The store already has this payment method.'));
  await pressIn(page, 'Close');
}

/** The link in the email locks, for anyone who has it, and the change does not take effect. */
export async function stopByMail({ site, visit: { page }, at }: Journey, store: string): Promise<void> {
  const lockLink = () =>
    mailsTo(site, MAREN.mail)
      .flatMap(({ links }) => links)
      .findLast((link) => link.includes('/lock#'));
  await waitUntil(() => lockLink() !== undefined, MAIL_WITHIN);
  await page.goto(lockLink() ?? '');
  await expectTitle(page, 'Lock all payment-method changes');
  await audit(page, 'lock by link');
  await press(page, 'Lock changes');
  await page.getByRole('heading', { name: 'Changes are locked' }).waitFor();
  await page.goto(at(`/stores/${store}/methods`));
  await page.getByRole('heading', { name: 'Changes are locked' }).waitFor();
  await page.getByText('Stopped by the lock').waitFor();
  await audit(page, 'locked methods');
}
