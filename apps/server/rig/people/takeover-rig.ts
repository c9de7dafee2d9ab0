import { actAs } from '../../src/db/act-as.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { Person, Visitor } from '../../src/lib/actor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { GATHERERS } from '../../src/mail-gatherers.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { addMember } from '../../src/people/add-member.ts';
import { addPasskey } from '../../src/people/add-passkey.ts';
import { replaceAddressChange } from '../../src/people/address-change-sql.ts';
import { beginPasskey } from '../../src/people/begin-passkey.ts';
import { beginTotp } from '../../src/people/begin-totp.ts';
import { changePassword } from '../../src/people/change-password.ts';
import { confirmAddressChange } from '../../src/people/confirm-address-change.ts';
import { confirmTotp } from '../../src/people/confirm-totp.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { drawLink } from '../../src/people/draw-link.ts';
import type { Credentials } from '../../src/people/earlier-credentials.ts';
import { readCredentials } from '../../src/people/earlier-credentials-sql.ts';
import { openSession } from '../../src/people/open-session.ts';
import { hashPassword } from '../../src/people/password.ts';
import { hashLinkToken } from '../../src/people/person.ts';
import { findPersonByCode, savePassword, verifyPerson } from '../../src/people/person-sql.ts';
import { removeTotp } from '../../src/people/remove-totp.ts';
import { renewRecoveryCodes } from '../../src/people/renew-recovery-codes.ts';
import { hashSessionToken } from '../../src/people/session.ts';
import { totpCode } from '../../src/people/totp.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import type { KeyRingFixture } from '../database/key-ring-fixture.ts';
import { ALICE, openKeyRingFixture } from '../database/key-ring-fixture.ts';
import type { Template } from '../database/template-database.ts';
import { DASHBOARD_URL } from './dashboard-site.ts';
import { createSoftwareAuthenticator } from './software-authenticator.ts';

/** Takeovers of accounts, played with the verbs themselves and a clock that tests move. */

export type TakeoverRig = KeyRingFixture & {
  ring: KeyRing;
  clock: { nowMs(): number };
  /** Lets time pass. */
  pass(hours: number): void;
};

export type Victim = {
  id: bigint;
  code: string;
  mail: string;
  merchantAccountId: bigint;
  totpSecret: string;
  recoveryCodes: readonly string[];
};

const HOUR_MS = 3_600_000;
const STEP_MS = 30_000;
const PASSWORD = hashPassword('a long word of the victim', { known: 'victim' });
let made = 0;

export async function openTakeoverRig(template: Template): Promise<TakeoverRig> {
  const fixture = await openKeyRingFixture(template);
  let passedMs = 0;
  const startMs = systemClock.nowMs();
  const clock = { nowMs: () => startMs + passedMs };
  const pass = (hours: number) => {
    passedMs += hours * HOUR_MS;
  };
  return { ...fixture, ring: await openKeyRing(fixture.path), clock, pass };
}

/** The context of a verb, in the dashboard's role and with the rows that the scope shows. */
export function contextFor({ as, clock, ring }: TakeoverRig, scope: Parameters<typeof actAs>[1] = {}) {
  const database = actAs(as('dashboard'), scope, { prepared: true });
  return { database, clock, ring, jobs: undefined, dashboardUrl: DASHBOARD_URL };
}

/** The context of a verb that is called with a link's token. */
export const contextOfLink = (rig: TakeoverRig, token: string) => contextFor(rig, { linkHash: hashLinkToken(token) });

const operatorContext = ({ as, clock }: TakeoverRig) => ({ database: as('admin'), clock, jobs: undefined });

let visitors = 0;
export function visitor(): Visitor {
  visitors += 1;
  return { kind: 'visitor', address: `10.8.${visitors >> 8}.${visitors & 255}`, agent: 'rig' };
}

/** A person who owns a merchant, with a password and, unless they never had two-factor, an app with recovery codes. */
export async function makeVictim(rig: TakeoverRig, { hasApp = true } = {}): Promise<Victim> {
  made += 1;
  const mail = `victim-${process.pid}-${made}@acme.test`;
  const named = {
    mail: { normal: mail, shown: mail },
    name: `Victim ${made}`,
    language: 'en',
    operatorRole: null,
  } as const;
  const { code } = await createPerson(operatorContext(rig), ALICE, named);
  const id = (await findPersonByCode(rig.database.queries, code))?.id ?? 0n;
  const at = new Date(rig.clock.nowMs());
  const hash = await PASSWORD;
  await inTransaction(rig.database, async (tx) => {
    await savePassword(tx, id, hash, at);
    await verifyPerson(tx, id, at);
  });
  const context = { database: rig.database, clock: rig.clock, jobs: undefined };
  const merchantAccountId = await createMerchant(context, ALICE, { name: 'Acme' });
  await addMember(operatorContext(rig), ALICE, { merchantAccountId, personCode: code, role: 'owner' });
  const victim = { id, code, mail, merchantAccountId, totpSecret: '', recoveryCodes: [] };
  return hasApp ? { ...victim, ...(await replaceApp(rig, await enterAs(rig, victim))) } : victim;
}

/** Lets the changes that a victim has made so far be older than what is kept. */
export async function forgetChanges({ database }: TakeoverRig, { id }: Victim): Promise<void> {
  await database.pool.query('delete from earlier_credentials where person_id = $1', [id]);
}

/** Opens a session of a person who has just proven who they are, as a thief has stolen it. */
export async function enterAs(rig: TakeoverRig, { id, code }: Pick<Victim, 'id' | 'code'>): Promise<Person> {
  const origin = { address: '10.7.0.1', agent: 'rig' };
  const session = { person: { id, operatorRole: null }, proof: 'totp', half: false, elevated: true, origin } as const;
  const at = new Date(rig.clock.nowMs());
  const token = await inTransaction(rig.database, (tx) => openSession(tx, session, at));
  const sessionHash = hashSessionToken(token) ?? Buffer.alloc(0);
  return { kind: 'person', id, code, sessionHash, hasFactor: true, operatorRole: null, elevated: true, ...origin };
}

/** What a person can change of what they sign in with. */
export type Step = 'address' | 'password' | 'app' | 'passkey' | 'codes';

/** Continues with the token that replaces the session's, as a browser does. */
function continueWith(actor: Person, token: string): void {
  actor.sessionHash = hashSessionToken(token) ?? Buffer.alloc(0);
}

/** Sets up an app in place of the present one, and returns its secret and new recovery codes. */
export async function replaceApp(
  rig: TakeoverRig,
  actor: Person,
): Promise<{ totpSecret: string; recoveryCodes: readonly string[] }> {
  const context = contextFor(rig, { personId: actor.id });
  const { totp } = await readCredentials(rig.database.queries, actor.id);
  if (totp) await removeTotp(context, actor);
  const { secret } = await beginTotp(context, actor);
  const code = totpCode(secret, rig.clock.nowMs() - STEP_MS);
  const { recoveryCodes, token } = await confirmTotp(context, actor, code);
  continueWith(actor, token);
  return { totpSecret: secret, recoveryCodes };
}

let changes = 0;

/** Changes a person's address, and returns the new one. */
export async function changeAddress(rig: TakeoverRig, actor: Person, mail?: string): Promise<string> {
  changes += 1;
  const to = mail ?? `moved-${process.pid}-${changes}@thief.test`;
  const at = new Date(rig.clock.nowMs());
  const expiresAt = new Date(at.getTime() + HOUR_MS);
  const token = await inTransaction(rig.database, async (tx) => {
    const wanted = { personId: actor.id, mail: { normal: to, shown: to }, expiresAt };
    const addressChangeId = await replaceAddressChange(tx, wanted, at);
    const subject = { purpose: 'change-mail', personId: actor.id, addressChangeId } as const;
    return drawLink(tx, { subject, expiresAt }, at);
  });
  await confirmAddressChange(contextFor(rig, { personId: actor.id }), actor, token);
  return to;
}

/** Makes one change in a person's session. */
export async function change(rig: TakeoverRig, actor: Person, step: Step): Promise<void> {
  const context = contextFor(rig, { personId: actor.id });
  switch (step) {
    case 'address':
      await changeAddress(rig, actor);
      return;
    case 'password':
      changes += 1;
      return changePassword(context, actor, `number ${changes} of the thief`);
    case 'app':
      await replaceApp(rig, actor);
      return;
    case 'passkey': {
      const options = await beginPasskey(context, actor);
      const response = createSoftwareAuthenticator().create(options, DASHBOARD_URL);
      const added = await addPasskey(context, actor, { response: response as never, name: 'Phone' });
      continueWith(actor, added.token);
      return;
    }
    case 'codes':
      await renewRecoveryCodes(context, actor);
  }
}

/** The tokens of links to a page in the emails to an address, generated as by a worker; oldest first. */
export async function tokensTo(
  rig: TakeoverRig,
  mail: string,
  page: 'undo' | 'undo/stop' | 'keep-factors' | 'lock',
): Promise<string[]> {
  const { rows } = await rig.database.pool.query<{ template: keyof typeof GATHERERS; data: Record<string, string> }>(
    'select template, data from mails where to_address = $1 order by id',
    [mail],
  );
  const context = { database: rig.as('worker'), clock: rig.clock, dashboardUrl: DASHBOARD_URL };
  const tokens: string[] = [];
  for (const { template, data } of rows) {
    const facts = await GATHERERS[template](context, data, requireMailAddress(mail));
    const link = facts && 'link' in facts ? facts.link : null;
    const [start, token] = link?.split('#') ?? [];
    if (token !== undefined && start === `${DASHBOARD_URL}/${page}`) tokens.push(token);
  }
  return tokens;
}

/** A code of an app that was not used yet. */
export const codeOf = ({ clock }: TakeoverRig, { totpSecret }: Pick<Victim, 'totpSecret'>) =>
  totpCode(totpSecret, clock.nowMs());

/** What a person signs in with, without what each use of it changes. */
export async function credentialsOf({ database }: TakeoverRig, { id }: Pick<Victim, 'id'>): Promise<Credentials> {
  const { totp, recovery, ...rest } = await readCredentials(database.queries, id);
  return {
    ...rest,
    totp: totp && { ...totp, lastStep: '' },
    recovery: recovery.map(({ hash }) => ({ hash, usedAt: null })),
  };
}

/** How many sessions of a person last. */
export async function sessionsOf({ database }: TakeoverRig, { id }: Pick<Victim, 'id'>): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*)::integer as count from sessions where person_id = $1 and revoked_at is null',
    [id],
  );
  return rows[0]?.count ?? 0;
}

/** Whether the payment methods of a victim's merchant are locked. */
export async function isLocked({ database }: TakeoverRig, { merchantAccountId }: Victim): Promise<boolean> {
  const { rows } = await database.pool.query<{ locked: boolean }>(
    'select methods_locked_at is not null as locked from merchants where id = $1',
    [merchantAccountId],
  );
  return rows[0]?.locked ?? false;
}
