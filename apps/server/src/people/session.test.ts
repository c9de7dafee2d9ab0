import { describe, expect, test } from 'vitest';
import type { SessionState } from './session.ts';
import { drawSessionToken, hashSessionToken, idleUntil, isElevated, isLasting, sessionTimes } from './session.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

test.each([
  ['of a merchant', { operator: false, half: false }, 120, 1_440],
  ['of an operator', { operator: true, half: false }, 30, 720],
  ['that waits for the second factor', { operator: false, half: true }, 5, 5],
  ['of an operator that waits for the second factor', { operator: true, half: true }, 5, 5],
])('a session %s ends in time', (_title, kind, idle, absolute) => {
  expect(sessionTimes(NOW, kind)).toEqual({ idleUntil: after(idle), absoluteUntil: after(absolute) });
});

test('using a session never carries it beyond its absolute end', () => {
  expect(idleUntil(NOW, false, after(500))).toEqual(after(120));
  expect(idleUntil(NOW, false, after(60))).toEqual(after(60));
  expect(idleUntil(NOW, true, after(500))).toEqual(after(30));
});

const session = (over: Partial<SessionState> = {}): SessionState => ({
  idleUntil: after(10),
  absoluteUntil: after(20),
  revokedAt: null,
  elevatedUntil: after(5),
  half: false,
  ...over,
});

describe('a session', () => {
  test.each([
    ['lasts and is elevated', {}, true, true],
    ['that is idle too long has ended', { idleUntil: NOW }, false, false],
    ['at its absolute end has ended', { absoluteUntil: NOW }, false, false],
    ['that was revoked has ended', { revokedAt: after(-1) }, false, false],
    ['is not elevated at the very end of that time', { elevatedUntil: NOW }, true, false],
    ['was never elevated', { elevatedUntil: null }, true, false],
    ['that waits for the second factor is never elevated', { half: true }, true, false],
  ])('%s', (_title, over: Partial<SessionState>, lasting, elevated) => {
    expect([isLasting(session(over), NOW), isElevated(session(over), NOW)]).toEqual([lasting, elevated]);
  });
});

test('a token is found by its hash, and other texts are not looked up', () => {
  const token = drawSessionToken();
  expect(hashSessionToken(token)).toHaveLength(32);
  expect(drawSessionToken()).not.toBe(token);
  for (const text of ['', `${token}a`, token.slice(1), `${token.slice(1)}!`])
    expect(hashSessionToken(text)).toBeUndefined();
});
