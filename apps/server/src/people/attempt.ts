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

/** Budgets of guesses, by what is guessed and by where the guesses come from. */

/** Wrong guesses at one person's password or second factor. */
const SECRET_BUDGET: AttemptBudget = { most: 5, windowMinutes: 15 };
/** Failed sign-ins from one network address, whoever they concern; as many unknown links, and as many requests for emails. */
const ORIGIN_BUDGET: AttemptBudget = { most: 50, windowMinutes: 15 };
/** Sign-ups from one network address: each is an email to somebody who need not have asked for it. */
const SIGN_UP_BUDGET: AttemptBudget = { most: 10, windowMinutes: 60 };
/** Challenges for passkeys: nobody guesses anything with one, but each is a row for five minutes. */
const CHALLENGE_BUDGET: AttemptBudget = { most: 300, windowMinutes: 15 };
const SESSION_CHALLENGE_BUDGET: AttemptBudget = { most: 60, windowMinutes: 15 };
/** How many times that budget a network has: the wider ones may be many customers, or one who changes addresses. */
const ORIGIN_SHARES: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };
/** Mails to one address that strangers, or people who say that it is theirs, can have sent. */
const MAIL_BUDGET: AttemptBudget = { most: 5, windowMinutes: 60 };
/** Secrets of new authenticator apps that one person can have drawn: each stays sealed at rest for good. */
const APP_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Keys and secrets of stores that one person can have shown: whoever takes over a session copies so many at most. */
const REVEAL_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Keys, secrets and logos that one person can have stored: they stay for good. */
const STORED_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };
/** Changes of stores' settings and brands, and promotions, by one person: each stays in the audit for good. */
const SETTING_BUDGET: AttemptBudget = { most: 300, windowMinutes: 60 };

/** New passwords that one person can set while signed in: each costs a hash and an email. */
const PASSWORD_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };

/** Invitations by email: to addresses whose owners have not asked for them. */
const INVITATION_BUDGET = { ofPerson: { most: 20, windowMinutes: 60 }, ofMerchant: { most: 40, windowMinutes: 60 } };
/** Changes of a team that its members are told of one by one; later ones are told together. */
const TEAM_BUDGET = { ofPerson: { most: 10, windowMinutes: 60 }, ofMerchant: { most: 20, windowMinutes: 60 } };
/** Resets of two-factor methods that owners ask for, and unlocks: each is an email to many, and is undone at once. */
const REPEATED_BUDGET = { ofPerson: { most: 10, windowMinutes: 60 }, ofMerchant: { most: 20, windowMinutes: 60 } };
const SHARES = {
  invite: INVITATION_BUDGET,
  team: TEAM_BUDGET,
  store: TEAM_BUDGET,
  'reset-factors': REPEATED_BUDGET,
  unlock: REPEATED_BUDGET,
};

/**
 * Sign-ins and step-ups of one person that succeed: an attempt that succeeds is returned, but each costs a hash, a session
 * and a security event.
 */
const SUCCESS_BUDGET: AttemptBudget = { most: 60, windowMinutes: 60 };

const hashMail = (mailNormal: string) => createHash('sha256').update(mailNormal).digest('base64url');

/** The budget of sign-ins with a mail address, whether somebody has the address or not. */
const signInSubject = (mailNormal: string) => `sign-in:${hashMail(mailNormal)}`;

const factorSubject = (personId: bigint) => `factor:${personId}`;
/** The budget of passwords that are tried with one link: each costs a hash, whether it is accepted or not. */
export const linkSubject = (hash: Buffer) => `verify:${hash.toString('base64url')}`;
/** The budget of new mail addresses that a person asks for. */
export const addressSubject = (personId: bigint) => `address:${personId}`;

/** Budgets in which an attempt was reserved; an attempt that succeeds is returned to them. */
type Reserved = readonly string[];

function refuse({ windowMinutes }: AttemptBudget): never {
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: windowMinutes });
}

/** Counts a guess before it is checked; refuses it when the budget is used up. */
export async function requireAttempt(queries: Queries, subject: string): Promise<Reserved> {
  if (!(await reserveAttempt(queries, subject, SECRET_BUDGET))) refuse(SECRET_BUDGET);
  return [subject];
}

/**
 * Counts an attempt of one network address, IPv6 addresses by every network that one customer may have. An attempt that
 * a narrow network refuses is not counted for the wider ones, so that neighbours do not pay for it.
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

/** Counts a sign-in before it is checked. */
export const requireOrigin = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'from', ORIGIN_BUDGET);

/** Counts an email that somebody asks for who is not signed in. Failed sign-ins from the same address do not refuse it. */
export const requireMailFrom = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'mail-from', ORIGIN_BUDGET);

/** Counts a sign-up by somebody who is not known. */
export const requireSignUpFrom = (queries: Queries, address: string) =>
  requireFrom(queries, address, 'sign-up-from', SIGN_UP_BUDGET);

/** The budget of a browser in which the user has signed in before. Guesses made elsewhere do not use it up. */
const deviceSubject = (kind: 'sign-in' | 'factor', hash: Buffer) => `device-${kind}:${hash.toString('base64url')}`;

/** Counts a sign-in by passkey in a browser in which somebody has signed in before. */
export const requireDevice = (queries: Queries, device: Buffer): Promise<Reserved> =>
  requireAttempt(queries, deviceSubject('sign-in', device));

/** The device of a request, if the user has signed in there before. */
export async function knownDevice(
  { database, clock }: Context,
  { deviceHash }: Origin,
  of: { personId?: bigint; mailNormal?: string },
): Promise<Buffer | undefined> {
  if (!deviceHash) return undefined;
  return (await isKnownDevice(database.queries, deviceHash, of, devicesSince(clock.nowMs()))) ? deviceHash : undefined;
}

/** Counts a sign-in by password: in a browser that the user has used before by that browser, otherwise by address and email. */
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
 * Counts a sign-in whose password is right. Those in known browsers are counted apart, and a new password has a new
 * budget, so that somebody who stole a password cannot keep its owner out with it.
 */
export async function requireSignedIn(
  queries: Queries,
  { personId, passwordHash, device }: { personId: bigint; passwordHash: string; device: Buffer | undefined },
): Promise<void> {
  const mark = createHash('sha256').update(passwordHash).digest('base64url');
  const subject = `signed-in-${device ? 'known' : 'new'}:${personId}:${mark}`;
  if (!(await reserveAttempt(queries, subject, SUCCESS_BUDGET))) refuse(SUCCESS_BUDGET);
}

/** Counts a step-up whose proof is right. */
export async function requireSteppedUp(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `stepped-up:${personId}`, SUCCESS_BUDGET))) refuse(SUCCESS_BUDGET);
}

/** Counts a second factor that a user gives to sign in or to step up. */
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

/**
 * Counts a link that does not exist. A link that exists is never refused: strangers at the same address must not keep
 * an owner from stopping a change. Returns whether it exists.
 */
export async function requireLink(queries: Queries, address: string, token: string): Promise<boolean> {
  const hash = hashLinkToken(token);
  if (hash !== undefined && (await isLink(queries, hash))) return true;
  await requireFrom(queries, address, 'link', ORIGIN_BUDGET);
  return false;
}

/** Counts a challenge for a passkey: by session or known browser where there is one, otherwise by network address. */
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

/** Counts a new authenticator app that a person begins, whether it is ever confirmed or not. */
export async function requireNewApp(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `app:${personId}`, APP_BUDGET))) refuse(APP_BUDGET);
}

/** Counts a new password that a person sets while signed in, before it is hashed. */
export async function requireNewPassword(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `password:${personId}`, PASSWORD_BUDGET))) refuse(PASSWORD_BUDGET);
}

/** What the holder of an undo link does, and how often a day. Strangers have no link, so they cannot use this up. */
const UNDO_BUDGETS = {
  open: { most: 10, windowMinutes: 1_440 },
  prove: { most: 10, windowMinutes: 1_440 },
} as const satisfies Record<string, AttemptBudget>;

/** Counts a step that the holder of an undo link takes for a person. */
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

/** Counts an invitation that is sent by email. */
export async function requireInvitation(queries: Queries, share: MailShare): Promise<void> {
  if (!(await takeShare(queries, 'invite', share)))
    throw new Refusal('INVITATIONS_TOO_FAST', { minutes: INVITATION_BUDGET.ofPerson.windowMinutes });
}

/** Counts a team change. Returns whether its email is sent immediately; otherwise it is merged with those of later changes. */
export const takeTeamNotice = (tx: Tx, share: MailShare): Promise<boolean> => takeShare(tx, 'team', share);

/** Counts a change of a store, as of a team. */
export const takeStoreNotice = (tx: Tx, share: MailShare): Promise<boolean> => takeShare(tx, 'store', share);

/** Counts an action that emails many people and that a member could repeat by undoing it each time. */
export async function requireRepeatable(
  queries: Queries,
  kind: 'reset-factors' | 'unlock',
  share: MailShare,
): Promise<void> {
  if (!(await takeShare(queries, kind, share))) refuse(REPEATED_BUDGET.ofPerson);
}

/** Counts a mail that somebody who need not own the address has sent to it, whether anybody here has the address or not. */
export async function requireMailTo(queries: Queries, mailNormal: string): Promise<Reserved> {
  const subject = `mail:${hashMail(mailNormal)}`;
  if (!(await reserveAttempt(queries, subject, MAIL_BUDGET))) refuse(MAIL_BUDGET);
  return [subject];
}

/** Counts a key or secret of a store that a person wants to see, before anything is read. */
export async function requireRevealed(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `reveal:${personId}`, REVEAL_BUDGET))) refuse(REVEAL_BUDGET);
}

/** Counts something that a person has stored for good. */
export async function requireStored(queries: Queries, personId: bigint): Promise<void> {
  if (!(await reserveAttempt(queries, `stored:${personId}`, STORED_BUDGET))) refuse(STORED_BUDGET);
}

/**
 * Counts a change of a store's settings or brand, or a promotion. Programs that change settings all day would fill the
 * audit.
 */
export async function requireSetting(queries: Queries | Tx, actor: Actor): Promise<void> {
  if (actor.kind !== 'person') return;
  if (!(await reserveAttempt(queries, `setting:${actor.id}`, SETTING_BUDGET))) refuse(SETTING_BUDGET);
}
