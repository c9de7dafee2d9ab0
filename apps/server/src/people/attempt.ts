import { createHash } from 'node:crypto';
import type { Context } from '../db/context.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Actor, Origin } from '../lib/actor.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientNetworks } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import type { AttemptBudget } from './attempt-sql.ts';
import { reserveAttempt } from './attempt-sql.ts';
import { devicesSince } from './device.ts';
import { isKnownDevice } from './device-sql.ts';
import { isLink } from './link-sql.ts';
import { hashLinkToken } from './person.ts';

/** Budgets of attempts, by secret and by origin. */

const SECRET_BUDGET: AttemptBudget = { most: 5, windowMinutes: 15 };
/** Failed sign-ins from one IP address, for any user; also unknown links, and requests for emails. */
const ORIGIN_BUDGET: AttemptBudget = { most: 50, windowMinutes: 15 };
/** Sign-ups from one IP address: each sends an email to someone who may not have requested it. */
const SIGN_UP_BUDGET: AttemptBudget = { most: 10, windowMinutes: 60 };
/** Challenges for passkeys: none allows a guess, but each is a row for five minutes. */
const CHALLENGE_BUDGET: AttemptBudget = { most: 300, windowMinutes: 15 };
const SESSION_CHALLENGE_BUDGET: AttemptBudget = { most: 60, windowMinutes: 15 };
/** Multiples of a budget by network size: a wide network may be many customers, or one who changes addresses. */
const ORIGIN_SHARES: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };
/** Emails to one address that unverified requesters can cause. */
const MAIL_BUDGET: AttemptBudget = { most: 5, windowMinutes: 60 };
/** New authenticator apps of one user: each secret is stored permanently. */
const APP_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Keys and secrets that one user can reveal, which bounds what a stolen session can copy. */
const REVEAL_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Keys, secrets and logos that one user can store: they stay permanently. */
const STORED_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Changes of store settings, brands and promotions by one user: each stays in the audit permanently. */
const SETTING_BUDGET: AttemptBudget = { most: 300, windowMinutes: 60 };

/** New passwords of a signed-in user: each costs a hash and an email. */
const PASSWORD_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };

/** Invitations by email, which the recipients have not requested. */
const INVITATION_BUDGET = { ofPerson: { most: 20, windowMinutes: 60 }, ofMerchant: { most: 40, windowMinutes: 60 } };
/** Team changes that are reported one by one; later ones are reported together. */
const TEAM_BUDGET = { ofPerson: { most: 10, windowMinutes: 60 }, ofMerchant: { most: 20, windowMinutes: 60 } };
/**
 * Resets of two-factor methods that owners ask for, unlocks, and new support contacts: each emails many people, and can
 * be repeated immediately by undoing it.
 */
const REPEATED_BUDGET = { ofPerson: { most: 10, windowMinutes: 60 }, ofMerchant: { most: 20, windowMinutes: 60 } };
const SHARES = {
  invite: INVITATION_BUDGET,
  team: TEAM_BUDGET,
  store: TEAM_BUDGET,
  'reset-factors': REPEATED_BUDGET,
  unlock: REPEATED_BUDGET,
  contact: REPEATED_BUDGET,
};

/** Successful sign-ins and step-ups: the attempt is returned, but each costs a hash, a session and a security event. */
const SUCCESS_BUDGET: AttemptBudget = { most: 60, windowMinutes: 60 };

const hashMail = (mailNormal: string) => createHash('sha256').update(mailNormal).digest('base64url');

const signInSubject = (mailNormal: string) => `sign-in:${hashMail(mailNormal)}`;

const factorSubject = (personId: bigint) => `factor:${personId}`;
/** Passwords attempted with one link: each costs a hash, whether it is accepted or not. */
export const linkSubject = (hash: Buffer) => `verify:${hash.toString('base64url')}`;
export const addressSubject = (personId: bigint) => `address:${personId}`;

type Reserved = readonly string[];

function refuse({ windowMinutes }: AttemptBudget): never {
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: windowMinutes });
}

export async function requireAttempt(queries: Queries, subject: string): Promise<Reserved> {
  if (!(await reserveAttempt(queries, subject, SECRET_BUDGET))) refuse(SECRET_BUDGET);
  return [subject];
}

/**
 * Counts an attempt of one IP address and of its IPv6 networks, narrow ones first: an attempt that a narrow network
 * refuses is not charged to its neighbours.
 */
async function requireFrom(
  queries: Queries,
  address: string,
  kind: 'from' | 'link' | 'mail-from' | 'sign-up-from' | 'ask',
  one: AttemptBudget,
): Promise<Reserved> {
  const reserved: string[] = [];
  for (const { bits, name } of clientNetworks(address)) {
    const budget = { ...one, most: one.most * ORIGIN_SHARES[bits] };
    if (!(await reserveAttempt(queries, `${kind}:${name}`, budget))) refuse(budget);
    reserved.push(`${kind}:${name}`);
  }
  return reserved;
}

export const requireOrigin = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'from', ORIGIN_BUDGET);

/** Counts a requested email. Failed sign-ins from the same address do not affect this budget. */
export const requireMailFrom = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'mail-from', ORIGIN_BUDGET);

/** Counts a sign-up. */
export const requireSignUpFrom = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'sign-up-from', SIGN_UP_BUDGET);

/** The budget of a known browser. Guesses made elsewhere do not use it up. */
const deviceSubject = (kind: 'sign-in' | 'factor', hash: Buffer) => `device-${kind}:${hash.toString('base64url')}`;

/** Counts a sign-in by passkey in a known browser. */
export const requireDevice = (queries: Queries, device: Buffer): Promise<Reserved> =>
  requireAttempt(queries, deviceSubject('sign-in', device));

export async function knownDevice(
  { database, clock }: Context,
  { deviceHash }: Origin,
  of: { personId?: bigint; mailNormal?: string },
): Promise<Buffer | undefined> {
  if (!deviceHash) return undefined;
  return (await isKnownDevice(database.queries, deviceHash, of, devicesSince(clock.nowMs()))) ? deviceHash : undefined;
}

/** Counts a sign-in by password: by known browser, otherwise by IP address and email address. */
export async function requireSignIn(
  queries: Queries,
  { address }: Origin,
  { mailNormal, device }: { mailNormal: string; device: Buffer | undefined },
): Promise<Reserved> {
  if (device) return requireAttempt(queries, deviceSubject('sign-in', device));
  const origin = await requireOrigin(queries, address);
  return [...origin, ...(await requireAttempt(queries, signInSubject(mailNormal)))];
}

/**
 * Counts a sign-in with the right password. Known browsers are counted separately and a new password has a new budget,
 * so that a stolen password cannot lock its owner out.
 */
export async function requireSignedIn(
  queries: Queries,
  { personId, passwordHash, device }: { personId: bigint; passwordHash: string; device: Buffer | undefined },
): Promise<void> {
  const mark = createHash('sha256').update(passwordHash).digest('base64url');
  const subject = `signed-in-${device ? 'known' : 'new'}:${personId}:${mark}`;
  if (!(await reserveAttempt(queries, subject, SUCCESS_BUDGET))) refuse(SUCCESS_BUDGET);
}

/** Limits successful sign-ins by passkey. Only the owner of the passkey can use up this limit. */
export async function requirePasskeySignIn(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `signed-in-passkey:${personId}`, SUCCESS_BUDGET))) refuse(SUCCESS_BUDGET);
}

/** Counts a step-up whose proof is right. */
export async function requireSteppedUp(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `stepped-up:${personId}`, SUCCESS_BUDGET))) refuse(SUCCESS_BUDGET);
}

/** Counts a code or passkey given to sign in or to step up. */
export async function requireFactor(
  context: Context,
  origin: Origin,
  { personId, signsIn }: { personId: bigint; signsIn: boolean },
): Promise<Reserved> {
  const { queries } = context.database;
  const device = await knownDevice(context, origin, { personId });
  if (device) return requireAttempt(queries, deviceSubject('factor', device));
  const reserved = signsIn ? await requireOrigin(queries, origin.address) : [];
  return [...reserved, ...(await requireAttempt(queries, factorSubject(personId)))];
}

/** Counts an unknown link. A known one is never refused: strangers must not keep an owner from stopping a change. */
export async function requireLink(queries: Queries, address: string, token: string): Promise<boolean> {
  const hash = hashLinkToken(token);
  if (hash !== undefined && (await isLink(queries, hash))) return true;
  await requireFrom(queries, address, 'link', ORIGIN_BUDGET);
  return false;
}

/** Counts a challenge for a passkey: by session or known browser if any, otherwise by IP address. */
export async function requireChallenge(
  queries: Queries,
  by: { address: string } | { sessionHash: Buffer } | { device: Buffer },
): Promise<void> {
  if (!('sessionHash' in by) && !('device' in by)) {
    await requireFrom(queries, by.address, 'ask', CHALLENGE_BUDGET);
    return;
  }
  const subject =
    'device' in by
      ? `ask-device:${by.device.toString('base64url')}`
      : `ask-session:${by.sessionHash.toString('base64url')}`;
  if (!(await reserveAttempt(queries, subject, SESSION_CHALLENGE_BUDGET))) refuse(SESSION_CHALLENGE_BUDGET);
}

export async function requireNewApp(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `app:${personId}`, APP_BUDGET))) refuse(APP_BUDGET);
}

export async function requireNewPassword(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `password:${personId}`, PASSWORD_BUDGET))) refuse(PASSWORD_BUDGET);
}

/** Daily budgets for the holder of an undo link. Strangers have no link, so they cannot use them up. */
const UNDO_BUDGETS = {
  open: { most: 10, windowMinutes: 1_440 },
  prove: { most: 10, windowMinutes: 1_440 },
} as const satisfies Record<string, AttemptBudget>;

export async function requireUndo(
  queries: Queries,
  step: keyof typeof UNDO_BUDGETS,
  personId: bigint,
): Promise<Reserved> {
  const subject = `undo-${step}:${personId}`;
  if (!(await reserveAttempt(queries, subject, UNDO_BUDGETS[step]))) refuse(UNDO_BUDGETS[step]);
  return [subject];
}

type MailShare = { person: string; merchantAccountId: bigint };

async function takeShare(
  queries: Queries | Tx,
  kind: keyof typeof SHARES,
  { person, merchantAccountId }: MailShare,
): Promise<boolean> {
  const { ofPerson, ofMerchant } = SHARES[kind];
  return (
    (await reserveAttempt(queries, `${kind}:${person}`, ofPerson)) &&
    (await reserveAttempt(queries, `${kind}-of:${merchantAccountId}`, ofMerchant))
  );
}

export async function requireInvitation(queries: Queries, share: MailShare): Promise<void> {
  if (!(await takeShare(queries, 'invite', share)))
    throw new Refusal('INVITATIONS_TOO_FAST', { minutes: INVITATION_BUDGET.ofPerson.windowMinutes });
}

/** Counts a team change. Returns whether its email is sent immediately or merged with later ones. */
export const takeTeamNotice = (tx: Tx, share: MailShare): Promise<boolean> => takeShare(tx, 'team', share);

export const takeStoreNotice = (tx: Tx, share: MailShare): Promise<boolean> => takeShare(tx, 'store', share);

/** Counts an action that emails many people and that a member could repeat by undoing it. */
export async function requireRepeatable(
  queries: Queries | Tx,
  kind: 'reset-factors' | 'unlock' | 'contact',
  share: MailShare,
): Promise<void> {
  if (!(await takeShare(queries, kind, share))) refuse(REPEATED_BUDGET.ofPerson);
}

/**
 * Counts a mail that somebody who need not own the address has sent to it, whether anybody here has the address or not.
 * What signed-in users send is counted apart: they must not keep its owner from an email that resets the password.
 */
export async function requireMailTo(queries: Queries, mailNormal: string, by: 'user' | 'visitor'): Promise<Reserved> {
  const subject = `mail-by-${by}:${hashMail(mailNormal)}`;
  if (!(await reserveAttempt(queries, subject, MAIL_BUDGET))) refuse(MAIL_BUDGET);
  return [subject];
}

export async function requireRevealed(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `reveal:${personId}`, REVEAL_BUDGET))) refuse(REVEAL_BUDGET);
}

export async function requireStored(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `stored:${personId}`, STORED_BUDGET))) refuse(STORED_BUDGET);
}

/** Counts a change of settings, brand or promotions: a program that changes them all day would fill the audit. */
export async function requireSetting(queries: Queries | Tx, actor: Actor): Promise<void> {
  if (actor.kind !== 'person') return;
  if (!(await reserveAttempt(queries, `setting:${actor.id}`, SETTING_BUDGET))) refuse(SETTING_BUDGET);
}
