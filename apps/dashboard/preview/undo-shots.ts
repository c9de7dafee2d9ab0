import type { Page } from 'playwright-core';
import type { AppSite } from '../../server/rig/people/app-site.ts';
import { openBrowser } from '../../server/rig/people/dashboard-site.ts';
import { awaitMail, tokenIn } from '../../server/rig/people/mailed-site.ts';
import { makePerson, signInWithApp } from '../../server/rig/people/make-person.ts';
import { forgetChanges, stealAddress } from '../../server/rig/people/take-over.ts';
import type { Shot } from './shot.ts';
import { ALL_VIEWS, press } from './shot.ts';
import type { World } from './world.ts';

/** Pictures of undoing a takeover: what the pages of the links show once their button is pressed. */

type Takeover = { undo: string; recoveryCode: string };
export type Takeovers = Record<'proof' | 'waits' | 'restored', Takeover> & { stop: string };

/** A user whose email address was replaced in their own session, with the undo link. */
async function takeOver(site: AppSite, stolen: string): Promise<Takeover & { mail: string }> {
  const person = await makePerson(site);
  await signInWithApp(person);
  const { mail, recoveryCodes = [] } = person;
  await forgetChanges(site, person);
  return { undo: await stealAddress(site, person, stolen), mail, recoveryCode: recoveryCodes[0] ?? '' };
}

export async function prepareTakeovers(site: AppSite): Promise<Takeovers> {
  const waits = await takeOver(site, 'someone@elsewhere.example');
  await openBrowser(site).send('POST', '/undo/request', { token: waits.undo });
  const stopping = await awaitMail(site, waits.mail, 'Your earlier sign-in details will be restored');
  const stopped = await takeOver(site, 'nobody@elsewhere.example');
  await openBrowser(site).send('POST', '/undo/request', { token: stopped.undo });
  const stop = tokenIn(await awaitMail(site, stopped.mail, stopping.subject));
  return {
    proof: await takeOver(site, 'another@elsewhere.example'),
    waits,
    restored: await takeOver(site, 'third@elsewhere.example'),
    stop,
  };
}

const open = press('End all sessions and continue');

const restore =
  ({ recoveryCode }: Takeover) =>
  async (page: Page): Promise<void> => {
    await open(page);
    await press('Use a recovery code')(page);
    await page.getByLabel('Recovery code').fill(recoveryCode);
    await press('Restore now')(page);
    await page.getByText('Your account is restored').waitFor();
  };

const showLater = async (page: Page): Promise<void> => {
  await open(page);
  await page.getByText('I have none of these').click();
};

const shotOf = (name: string, path: string, before: Shot['before']): Shot => ({
  name,
  path,
  who: 'nobody',
  views: ALL_VIEWS,
  ...(before && { before }),
});

export function undoShots({ takeovers }: World): Shot[] {
  const { proof, waits, restored, stop } = takeovers;
  return [
    shotOf('undo-proof', `/undo#${proof.undo}`, open),
    shotOf('undo-later', `/undo#${proof.undo}`, showLater),
    shotOf('undo-waits', `/undo#${waits.undo}`, open),
    shotOf('undo-restored', `/undo#${restored.undo}`, restore(restored)),
    shotOf('undo-stopped', `/undo/stop#${stop}`, press('Stop the restore')),
  ];
}
