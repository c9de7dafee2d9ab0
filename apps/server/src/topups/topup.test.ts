import { isTopupCode } from '@counterfoil/core/code.ts';
import { expect, test } from 'vitest';
import { createTopupCode, stateOfTopup } from './topup.ts';

test('a code is told from other texts', () => {
  expect(isTopupCode(createTopupCode())).toBe(true);
  for (const text of [null, '', 'TOP-', 'order-7', `${createTopupCode()}0`, createTopupCode().toLowerCase()])
    expect(isTopupCode(text)).toBe(false);
});

const now = new Date('2026-11-17T12:00:00Z');
const past = new Date('2026-11-17T11:00:00Z');
const future = new Date('2026-11-17T13:00:00Z');
const NEW = { transId: null, expiresAt: null, failedAt: null, creditedAt: null };
const OPENED = { ...NEW, transId: 'TID-X' };

test.each([
  ['opening', NEW],
  ['failed', { ...NEW, failedAt: past }],
  ['open', { ...OPENED, expiresAt: future }],
  ['open', { ...OPENED, expiresAt: future, failedAt: past }],
  ['ended', { ...OPENED, expiresAt: now }],
  ['ended', { ...OPENED, expiresAt: past }],
  ['credited', { ...OPENED, expiresAt: past, creditedAt: now }],
  ['credited', { ...OPENED, expiresAt: future, creditedAt: past, failedAt: past }],
])('a top-up is %s with %o', (state, facts) => {
  expect(stateOfTopup(facts, now)).toBe(state);
});
