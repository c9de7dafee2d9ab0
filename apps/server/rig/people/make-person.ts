import { writeSessionCookie } from '../../src/dashboard/session-cookie.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { openSession } from '../../src/people/open-session.ts';
import { findPersonByCode } from '../../src/people/person-sql.ts';
import type { OperatorRole } from '../../src/people/person.ts';
import { totpCode } from '../../src/people/totp.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ALICE } from '../database/key-ring-fixture.ts';
import type { Browser, DashboardSite } from './dashboard-site.ts';
import { DASHBOARD_URL, openBrowser } from './dashboard-site.ts';

/**
 * People of the rig, who do everything as the product's own people do: by links, passwords and codes. Only where a test
 * is about something else do they get a session without a password, because checking one takes a core a long time.
 */

export type RigPerson = {
  code: string;
  mail: string;
  password: string;
  browser: Browser;
  /** The secret of the person's authenticator app, once it has one. */
  totpSecret?: string;
  recoveryCodes?: readonly string[];
};

const STEP_MS = 30_000;
let people = 0;

async function send(browser: Browser, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await browser.send(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data ?? {};
}

/** A person with a password, who is not signed in. */
export async function makePerson(
  site: Pick<DashboardSite, 'database' | 'server'>,
  operatorRole: OperatorRole | null = null,
): Promise<RigPerson> {
  people += 1;
  const mail = `person-${process.pid}-${people}@acme.test`;
  const { code, linkToken } = await createPerson({ database: site.database, clock: systemClock }, ALICE, {
    mail: { normal: mail, shown: mail },
    name: `Person ${people}`,
    language: 'en',
    operatorRole,
  });
  const password = `a long word and ${people}`;
  const browser = openBrowser(site);
  await send(browser, 'POST', '/reset', { token: linkToken, password });
  return { code, mail, password, browser };
}

export async function signInByPassword({ browser, mail, password }: RigPerson): Promise<void> {
  await send(browser, 'POST', '/session', { mail, password });
}

/** Gives a person the session of somebody who has signed in by password and has just proven again who they are. */
export async function enter(
  {
    database,
    dashboardUrl = DASHBOARD_URL,
  }: Pick<DashboardSite, 'database'> & Partial<Pick<DashboardSite, 'dashboardUrl'>>,
  { browser, code }: RigPerson,
): Promise<void> {
  const person = await findPersonByCode(database.queries, code);
  if (!person) throw new Error(`There is no person ${code}.`);
  const origin = { address: browser.address, agent: 'rig' };
  const session = { person, proof: 'password', half: false, elevated: true, origin } as const;
  const at = new Date(systemClock.nowMs());
  const token = await inTransaction(database, (tx) => openSession(tx, session, at));
  browser.cookie = writeSessionCookie(dashboardUrl, token).split(';')[0] ?? '';
}

/**
 * The next code of a person's app that was not used yet. A real app shows a new code every thirty seconds; here the
 * step before and the step after the present one are used too, so that a test need not wait.
 */
export function nextCode(person: RigPerson, stepsAhead = 0): string {
  if (person.totpSecret === undefined) throw new Error('The person has no authenticator app.');
  return totpCode(person.totpSecret, systemClock.nowMs() + stepsAhead * STEP_MS);
}

const presentStep = () => Math.floor(systemClock.nowMs() / STEP_MS);

/** Confirms an app with its code of the step before. A code that runs out on its way to the server is typed anew. */
async function confirmApp(person: RigPerson): Promise<Record<string, unknown>> {
  const step = presentStep();
  const confirm = () => send(person.browser, 'POST', '/me/totp/confirm', { totp: nextCode(person, -1) });
  try {
    return await confirm();
  } catch (error) {
    if (presentStep() === step) throw error;
    return confirm();
  }
}

/** Signs a person in and gives them an authenticator app, whose code of the step before is used up by that. */
export async function giveApp(person: RigPerson): Promise<void> {
  const { browser, password } = person;
  await send(browser, 'POST', '/session/step-up', { password });
  const { secret } = (await send(browser, 'POST', '/me/totp', {})) as { secret: string };
  person.totpSecret = secret;
  const confirmed = await confirmApp(person);
  person.recoveryCodes = confirmed['recovery_codes'] as string[];
}

/** Signs a person in, gives them an authenticator app, and has them prove with it who they are. */
export async function signInWithApp(person: RigPerson): Promise<void> {
  await signInByPassword(person);
  await giveApp(person);
  const { browser, password } = person;
  await send(browser, 'POST', '/session/step-up', { password, totp: nextCode(person) });
}
