import { isTopupCode } from '@counterfoil/core/code.ts';
import { expect, test } from 'vitest';
import { createTopupCode, parseTopupAmount, stateOfTopup } from './topup.ts';

test.each([
  ['5', 5_000_000n],
  ['5.00', 5_000_000n],
  ['5.01', 5_010_000n],
  ['10000.00', 10_000_000_000n],
  ['4.99', undefined],
  ['10000.01', undefined],
  ['5.001', undefined],
  ['05', undefined],
  ['5.', undefined],
  ['+5', undefined],
  ['-5', undefined],
  ['5,00', undefined],
  ['1e3', undefined],
  ['', undefined],
])('the amount %s is %s micro-USD', (text, microUsd) => {
  expect(parseTopupAmount(text)).toBe(microUsd);
});

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
