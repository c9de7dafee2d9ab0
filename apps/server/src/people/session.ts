import { createHash, randomBytes } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';

/** Sessions: how long they last and what they allow. */

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

export type Proof = 'password' | 'totp' | 'recovery' | 'passkey';

type Lifetime = { idleMs: number; absoluteMs: number };

/** Sessions end after a time without requests, and in any case after a longer time. */
const LIFETIMES: Record<'merchant' | 'operator', Lifetime> = {
  merchant: { idleMs: 2 * HOUR_MS, absoluteMs: 24 * HOUR_MS },
  operator: { idleMs: 30 * MINUTE_MS, absoluteMs: 12 * HOUR_MS },
};

/** How long a sign-in waits for two-factor. */
const HALF_MS = 5 * MINUTE_MS;
/** How long a step-up lasts. */
export const ELEVATED_MS = 10 * MINUTE_MS;
/** Shortest time between two records of a session's use. */
export const SEEN_EVERY_MS = MINUTE_MS;

export function drawSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored hash of a session token; undefined for malformed tokens. */
export function hashSessionToken(token: string): Buffer | undefined {
  return TOKEN_FORM.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

type SessionTimes = { idleUntil: Date; absoluteUntil: Date };

/** A session that waits for two-factor ends after a few minutes. */
export function sessionTimes(now: Date, { operator, half }: { operator: boolean; half: boolean }): SessionTimes {
  const { idleMs, absoluteMs } = LIFETIMES[operator ? 'operator' : 'merchant'];
  const after = (ms: number) => new Date(now.getTime() + (half ? Math.min(ms, HALF_MS) : ms));
  return { idleUntil: after(idleMs), absoluteUntil: after(absoluteMs) };
}

export function idleUntil(now: Date, operator: boolean, absoluteUntil: Date): Date {
  const { idleMs } = LIFETIMES[operator ? 'operator' : 'merchant'];
  return new Date(Math.min(now.getTime() + idleMs, absoluteUntil.getTime()));
}

export type SessionState = SessionTimes & { revokedAt: Date | null; elevatedUntil: Date | null; half: boolean };

export function isLasting(session: SessionState, now: Date): boolean {
  return session.revokedAt === null && session.idleUntil > now && session.absoluteUntil > now;
}

export function isElevated(session: SessionState, now: Date): boolean {
  return isLasting(session, now) && !session.half && session.elevatedUntil !== null && session.elevatedUntil > now;
}
