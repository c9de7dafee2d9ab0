import { createHash, randomBytes } from 'node:crypto';

/** Sessions of people who are signed in: how long they last, and what they are worth. Pure. */

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How a person proved who they are: with a password alone, or also with a second factor. */
export type Proof = 'password' | 'totp' | 'recovery' | 'passkey';

type Lifetime = { idleMs: number; absoluteMs: number };

/** Sessions end after a time without requests, and in any case after a longer time. */
const LIFETIMES: Record<'merchant' | 'operator', Lifetime> = {
  merchant: { idleMs: 2 * HOUR_MS, absoluteMs: 24 * HOUR_MS },
  operator: { idleMs: 30 * MINUTE_MS, absoluteMs: 12 * HOUR_MS },
};

/** How long a sign-in waits for its second factor. */
const HALF_MS = 5 * MINUTE_MS;
/** How long a session may do dangerous things after its person has proven again who they are. */
export const ELEVATED_MS = 10 * MINUTE_MS;
/** The shortest time between two notes of when a session was last used. */
export const SEEN_EVERY_MS = MINUTE_MS;

/** Draws the token that a browser keeps as a cookie. Only its hash is stored. */
export function drawSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The hash by which a session is found; undefined for a text that is no session token. */
export function hashSessionToken(token: string): Buffer | undefined {
  return TOKEN_FORM.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

type SessionTimes = { idleUntil: Date; absoluteUntil: Date };

/** When a new session ends. A session that still waits for its second factor ends after a few minutes. */
export function sessionTimes(now: Date, { operator, half }: { operator: boolean; half: boolean }): SessionTimes {
  const { idleMs, absoluteMs } = LIFETIMES[operator ? 'operator' : 'merchant'];
  const after = (ms: number) => new Date(now.getTime() + (half ? Math.min(ms, HALF_MS) : ms));
  return { idleUntil: after(idleMs), absoluteUntil: after(absoluteMs) };
}

/** Until when a session that is used now lasts if it is not used again; never beyond its absolute end. */
export function idleUntil(now: Date, operator: boolean, absoluteUntil: Date): Date {
  const { idleMs } = LIFETIMES[operator ? 'operator' : 'merchant'];
  return new Date(Math.min(now.getTime() + idleMs, absoluteUntil.getTime()));
}

export type SessionState = SessionTimes & { revokedAt: Date | null; elevatedUntil: Date | null; half: boolean };

/** Whether a session still lasts. */
export function isLasting(session: SessionState, now: Date): boolean {
  return session.revokedAt === null && session.idleUntil > now && session.absoluteUntil > now;
}

/** Whether a session may do dangerous things now. */
export function isElevated(session: SessionState, now: Date): boolean {
  return isLasting(session, now) && !session.half && session.elevatedUntil !== null && session.elevatedUntil > now;
}
