import { mailsTo } from '../../rig/people/mailed-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { giveApp, nextCode } from '../../rig/people/make-person.ts';
import { forgetChanges, stealAddress } from '../../rig/people/take-over.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { FloodSite } from './flood-site.ts';
import { browserAt, joinTeam } from './flood-site.ts';

/** A thief with a stolen session replaces what a user signs in with, in every order, and the user undoes it. */

type Step = 'address' | 'password' | 'app';

const ORDERS: readonly (readonly Step[])[] = [
  ['address', 'password', 'app'],
  ['address', 'app', 'password'],
  ['password', 'address', 'app'],
  ['password', 'app', 'address'],
  ['app', 'address', 'password'],
  ['app', 'password', 'address'],
];
const THIEFS_PASSWORD = 'a word of the thief';
const POLL_MS = 50;

async function send({ browser }: RigPerson, method: string, path: string, body?: unknown): Promise<void> {
  const { status } = await browser.send(method, path, body);
  if (status !== 200) throw new Error(`${method} ${path} answered ${status}.`);
}

/** Takes a step in the stolen session. `thief` is what the thief knows of the account by now. */
async function take(site: FloodSite, step: Step, thief: RigPerson, stolen: string): Promise<void> {
  if (step === 'address') await stealAddress(site, thief, stolen);
  else if (step === 'password') {
    await send(thief, 'POST', '/me/password', { password: THIEFS_PASSWORD });
    thief.password = THIEFS_PASSWORD;
  } else {
    await send(thief, 'DELETE', '/me/totp');
    await giveApp(thief);
  }
}

/** The token of the first undo link that an address got. */
async function undoTokenOf(site: FloodSite, mail: string): Promise<string> {
  const find = () => mailsTo(site, mail).flatMap(({ links }) => links.filter((link) => link.includes('/undo#')))[0];
  await waitUntil(() => find() !== undefined, { what: `${mail} has got no undo link.`, pollMs: POLL_MS });
  return find()?.split('#').at(-1) ?? '';
}

/** Whether the victim has the account back: signs in as before, and nothing of the thief's does. */
async function isRecovered(site: FloodSite, victim: RigPerson, stolen: string): Promise<boolean> {
  const [recovery = ''] = victim.recoveryCodes ?? [];
  const token = await undoTokenOf(site, victim.mail);
  const browser = browserAt(site);
  const opened = await browser.send('POST', '/undo', { token });
  const thiefsSession = await victim.browser.send('GET', '/me');
  const restored = await browser.send('POST', '/undo/restore', { token, recovery });
  const { mail, password } = victim;
  const asBefore = await browser.send('POST', '/session', { mail, password });
  const factor = await browser.send('POST', '/session/factor', { totp: nextCode(victim) });
  const asThief = await browserAt(site).send('POST', '/session', { mail: stolen, password: THIEFS_PASSWORD });
  const statuses = [opened, thiefsSession, restored, asBefore, factor, asThief].map(({ status }) => status);
  const isSo = statuses.join(' ') === '200 401 200 200 200 401';
  if (!isSo) console.log(`  a takeover was not undone: ${statuses.join(' ')}`);
  return isSo;
}

/** How many takeovers are undone, of how many. */
export async function countRecovered(site: FloodSite): Promise<{ stories: number; recovered: number }> {
  let recovered = 0;
  for (const [index, steps] of ORDERS.entries()) {
    const { person } = await joinTeam(site, site.neighbour.store, 'owner');
    await giveApp(person);
    await forgetChanges(site, person);
    const thief = { ...person };
    const stolen = `stolen-${index}@thief.test`;
    for (const step of steps) await take(site, step, thief, stolen);
    if (await isRecovered(site, person, stolen)) recovered += 1;
  }
  console.log(`${'takeover_recovered'.padEnd(34)} ${recovered} of ${ORDERS.length} takeovers undone by the victim`);
  return { stories: ORDERS.length, recovered };
}
