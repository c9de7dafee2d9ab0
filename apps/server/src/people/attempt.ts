import { createHash } from 'node:crypto';
import type { Queries } from '../db/database.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientNetworks } from '../lib/client-address.ts';
import { Refusal } from '../lib/refusal.ts';
import type { AttemptBudget } from './attempt-sql.ts';
import { reserveAttempt } from './attempt-sql.ts';

/** Budgets of guesses, by what is guessed and by where the guesses come from. */

/** Wrong guesses at one person's password or second factor. */
const SECRET_BUDGET: AttemptBudget = { most: 5, windowMinutes: 15 };
/** Sign-ins and links tried from one network address, whoever they concern. */
const ORIGIN_BUDGET: AttemptBudget = { most: 50, windowMinutes: 15 };
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

/** New passwords that one person can set while signed in: each costs a hash and an email. */
const PASSWORD_BUDGET: AttemptBudget = { most: 20, windowMinutes: 60 };

const hashMail = (mailNormal: string) => createHash('sha256').update(mailNormal).digest('base64url');

/** The budget of sign-ins with a mail address, whether somebody has the address or not. */
export const signInSubject = (mailNormal: string) => `sign-in:${hashMail(mailNormal)}`;

export const factorSubject = (personId: bigint) => `factor:${personId}`;
/** The budget of new mail addresses that a person asks for. */
export const addressSubject = (personId: bigint) => `address:${personId}`;

/** Counts a guess before it is checked; refuses it when the budget is used up. */
export async function requireAttempt(queries: Queries, subject: string): Promise<void> {
  if (await reserveAttempt(queries, subject, SECRET_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: SECRET_BUDGET.windowMinutes });
}

/**
 * Counts a guess of one network address, IPv6 addresses by every network that one customer may have. A guess that a
 * narrow network refuses is not counted for the wider ones, so that neighbours do not pay for it.
 */
export async function requireOrigin(queries: Queries, address: string): Promise<void> {
  for (const { bits, name } of clientNetworks(address)) {
    const budget = { ...ORIGIN_BUDGET, most: ORIGIN_BUDGET.most * ORIGIN_SHARES[bits] };
    if (!(await reserveAttempt(queries, `from:${name}`, budget)))
      throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: budget.windowMinutes });
  }
}

/** Counts a new authenticator app that a person begins, whether it is ever confirmed or not. */
export async function requireNewApp(queries: Queries, personId: bigint): Promise<void> {
  if (await reserveAttempt(queries, `app:${personId}`, APP_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: APP_BUDGET.windowMinutes });
}

/** Counts a new password that a person sets while signed in, before it is hashed. */
export async function requireNewPassword(queries: Queries, personId: bigint): Promise<void> {
  if (await reserveAttempt(queries, `password:${personId}`, PASSWORD_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: PASSWORD_BUDGET.windowMinutes });
}

/** Counts a mail that somebody who need not own the address has sent to it, whether anybody here has the address or not. */
export async function requireMailTo(queries: Queries, mailNormal: string): Promise<void> {
  if (await reserveAttempt(queries, `mail:${hashMail(mailNormal)}`, MAIL_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: MAIL_BUDGET.windowMinutes });
}

/** Counts a key or secret of a store that a person wants to see, before anything is read. */
export async function requireRevealed(queries: Queries, personId: bigint): Promise<void> {
  if (await reserveAttempt(queries, `reveal:${personId}`, REVEAL_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: REVEAL_BUDGET.windowMinutes });
}

/** Counts something that a person has stored for good. */
export async function requireStored(queries: Queries, personId: bigint): Promise<void> {
  if (await reserveAttempt(queries, `stored:${personId}`, STORED_BUDGET)) return;
  throw new Refusal('TOO_MANY_ATTEMPTS', { minutes: STORED_BUDGET.windowMinutes });
}
