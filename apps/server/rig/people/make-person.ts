import { writeSessionCookie } from '../../src/dashboard/session-cookie.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { drawLink } from '../../src/people/draw-link.ts';
import { openSession } from '../../src/people/open-session.ts';
import { endLinks } from '../../src/people/link-sql.ts';
import { hashPassword } from '../../src/people/password.ts';
import { findPersonByCode, savePassword, verifyPerson } from '../../src/people/person-sql.ts';
import type { OperatorRole } from '../../src/people/person.ts';
import { totpCode } from '../../src/people/totp.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ALICE } from '../database/key-ring-fixture.ts';
import type { Browser, DashboardSite } from './dashboard-site.ts';
import { DASHBOARD_URL, openBrowser } from './dashboard-site.ts';
import type { SoftwareAuthenticator } from './software-authenticator.ts';
import { createSoftwareAuthenticator } from './software-authenticator.ts';

/**
 * Users for tests. They sign in with passwords and codes as real users do; where a test is about something else they get
 * a session without a password check, because each check costs processor time.
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
const RESET_LIFE_MS = 3_600_000;
const PASSWORD = 'a long word of the rig';
let people = 0;
let passwordHash: Promise<string> | undefined;

async function send(browser: Browser, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await browser.send(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data ?? {};
}

/** Gives a new person the rig's password, which is hashed once per process: a hash costs 44 ms of processor time. */
async function givePassword(database: DashboardSite['database'], code: string): Promise<void> {
  passwordHash ??= hashPassword(PASSWORD, { known: 'rig' });
  const hash = await passwordHash;
  const at = new Date(systemClock.nowMs());
  const person = await findPersonByCode(database.queries, code);
  if (!person) throw new Error(`There is no person ${code}.`);
  await inTransaction(database, async (tx) => {
    await savePassword(tx, person.id, hash, at);
    await verifyPerson(tx, person.id, at);
    await endLinks(tx, person.id, at);
  });
}

/** A person with a password, who is not signed in. */
export async function makePerson(
  site: Pick<DashboardSite, 'database' | 'server'>,
  operatorRole: OperatorRole | null = null,
): Promise<RigPerson> {
  people += 1;
  const mail = `person-${process.pid}-${people}@acme.test`;
  const { code } = await createPerson({ database: site.database, clock: systemClock }, ALICE, {
    mail: { normal: mail, shown: mail },
    name: `Person ${people}`,
    language: 'en',
    operatorRole,
  });
  await givePassword(site.database, code);
  return { code, mail, password: PASSWORD, browser: openBrowser(site) };
}

/** The token of a link for a new password. */
export async function drawResetToken({ database }: Pick<DashboardSite, 'database'>, code: string): Promise<string> {
  const person = await findPersonByCode(database.queries, code);
  if (!person) throw new Error(`There is no person ${code}.`);
  const at = new Date(systemClock.nowMs());
  const subject = { purpose: 'set-password', personId: person.id } as const;
  return drawLink(database.queries, { subject, expiresAt: new Date(at.getTime() + RESET_LIFE_MS) }, at);
}

export async function signInByPassword({ browser, mail, password }: RigPerson): Promise<void> {
  await send(browser, 'POST', '/session', { mail, password });
}

/** Gives a person a session after sign-in by password and a recent step-up. */
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

/** Ends the step-up of a person's sessions, as ten minutes do. */
export async function forgetStepUp({ database }: Pick<DashboardSite, 'database'>, { code }: RigPerson): Promise<void> {
  const statement = `
    update sessions set elevated_until = null where person_id = (select id from people where code = $1)`;
  await database.pool.query(statement, [code]);
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

/** Confirms an app with its previous step's code. A code that expires on its way is sent again. */
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

/** Confirms recovery codes that came with a method, as a user must. */
async function keepCodes(person: RigPerson, answer: Record<string, unknown>): Promise<void> {
  const codes = answer['recovery_codes'] as string[];
  if (codes.length === 0) return;
  person.recoveryCodes = codes;
  await send(person.browser, 'POST', '/me/recovery-codes/confirm', { recovery: codes[0] });
}

/** Signs a person in and gives them an authenticator app, whose code of the step before is used up by that. */
export async function giveApp(person: RigPerson): Promise<void> {
  const { browser, password } = person;
  await send(browser, 'POST', '/session/step-up', { password });
  const { secret } = (await send(browser, 'POST', '/me/totp', {})) as { secret: string };
  person.totpSecret = secret;
  const confirmed = await confirmApp(person);
  await keepCodes(person, confirmed);
}

/** Adds a passkey to the account of a signed-in user. Fails if the server rejects it. */
export async function givePasskey(person: RigPerson): Promise<SoftwareAuthenticator> {
  const { browser } = person;
  const device = createSoftwareAuthenticator();
  const options = await send(browser, 'POST', '/me/passkeys/options', {});
  const answer = device.create(options, DASHBOARD_URL);
  await keepCodes(person, await send(browser, 'POST', '/me/passkeys/verify', { answer, name: 'Phone' }));
  return device;
}

/** Signs a person in, gives them an authenticator app, and has them prove with it who they are. */
export async function signInWithApp(person: RigPerson): Promise<void> {
  await signInByPassword(person);
  await giveApp(person);
  const { browser, password } = person;
  await send(browser, 'POST', '/session/step-up', { password, totp: nextCode(person) });
}
