import { expect, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { coversQuote, createAttachmentCode, nextTryAfter } from './attachment.ts';

const NOW = new Date('2026-11-16T12:00:00Z');

test.each([
  [1, 1],
  [2, 2],
  [5, 16],
  [10, 512],
  [11, 600],
  [13, 600],
])('after %d tries that failed a request rests for %d seconds', (tries, seconds) => {
  expect(nextTryAfter(tries, NOW)).toEqual(new Date(NOW.getTime() + seconds * 1_000));
});

test('after fourteen tries a request is not tried again', () => {
  expect(nextTryAfter(14, NOW)).toBeUndefined();
});

test('a request has a code of its own', () => {
  expect(createAttachmentCode()).toMatch(/^ATT-[A-Z0-9]{12}$/);
});

const COINS = 10n ** 18n;
const QUOTES = [
  { network: 'BSC', token: 'USDT', displayUnits: 25_000_000n },
  { network: 'ETH', token: 'USDT', displayUnits: 26_000_000n },
];

test.each([
  ['the amount', true, { network: 'BSC', token: 'USDT', units: 25n * COINS }],
  ['more', true, { network: 'BSC', token: 'USDT', units: 26n * COINS }],
  ['a unit less', false, { network: 'BSC', token: 'USDT', units: 25n * COINS - 1n }],
  ['less than was quoted on its network', false, { network: 'ETH', token: 'USDT', units: 25_000_000n }],
  ['another token', false, { network: 'BSC', token: 'USDC', units: 25n * COINS }],
  ['a token that nobody knows', false, { network: 'BSC', token: 'GONE', units: 25n * COINS }],
  ['a network that nobody knows', false, { network: 'NOWHERE', token: 'USDT', units: 25n * COINS }],
])('%s covers a quote: %s', (_title, covers, money) => {
  expect(coversQuote(NETWORKS, money, QUOTES)).toBe(covers);
});

test('nothing covers an invoice that was never quoted', () => {
  expect(coversQuote(NETWORKS, { network: 'BSC', token: 'USDT', units: 25n * COINS }, [])).toBe(false);
});
