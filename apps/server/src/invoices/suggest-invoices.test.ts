import { describe, expect, test } from 'vitest';
import { requireNetwork, requireToken } from '../networks/networks.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { soughtAmounts } from './sought-amounts.ts';
import type { CandidateQuote } from './suggest-invoices.ts';
import { suggestInvoices } from './suggest-invoices.ts';

const AT = new Date('2026-11-16T12:00:00Z');
const tokenOf = (symbol: string) => requireToken(NETWORKS, 'BSC', symbol);
const unitsOf = (symbol: string, amount: number) =>
  (BigInt(Math.round(amount * 1_000_000)) * 10n ** BigInt(tokenOf(symbol).decimals)) / 1_000_000n;
const displayOf = (symbol: string, amount: number) =>
  (BigInt(Math.round(amount * 1_000_000)) * 10n ** BigInt(tokenOf(symbol).displayDecimals)) / 1_000_000n;

const minutesFrom = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);

function quote(transId: string, amount: number, more: Partial<CandidateQuote> = {}): CandidateQuote {
  const token = more.token ?? 'USDT';
  return {
    transId,
    merchantId: 'MID-1',
    name: null,
    requestId: null,
    status: 'waiting',
    amountUsd: '50',
    token,
    displayUnits: displayOf(token, amount),
    heldFrom: minutesFrom(-10),
    heldTo: minutesFrom(20),
    marked: false,
    ...more,
  };
}

const suggest = (amount: number, ...candidates: CandidateQuote[]) =>
  suggestInvoices({ token: 'USDT', units: unitsOf('USDT', amount), at: AT }, candidates, tokenOf);

describe('invoices are suggested', () => {
  test.each([
    ['the nearest amount first', [quote('FAR', 60), quote('NEAR', 50.5)], ['NEAR', 'FAR']],
    [
      'the marked one before a nearer one',
      [quote('NEAR', 50.01), quote('MARKED', 55, { marked: true })],
      ['MARKED', 'NEAR'],
    ],
    [
      'one that was open then before a nearer one that was not',
      [quote('ENDED', 50.01, { heldTo: minutesFrom(-1) }), quote('OPEN', 52)],
      ['OPEN', 'ENDED'],
    ],
    ['the same token before another', [quote('USDC', 50, { token: 'USDC' }), quote('USDT', 51)], ['USDT', 'USDC']],
    [
      'each invoice once, by its best quote',
      [quote('TWICE', 60), quote('TWICE', 50.5), quote('ONCE', 55)],
      ['TWICE', 'ONCE'],
    ],
    ['equal ones by their code, always alike', [quote('B', 51), quote('A', 51)], ['A', 'B']],
  ])('%s', (_rule, candidates, order) => {
    expect(suggest(50, ...candidates).map(({ transId }) => transId)).toEqual(order);
  });

  test('with a claim before nearer ones, but not before one that was open', () => {
    const claims = new Set(['CLAIMED', 'ENDED']);
    const found = suggestInvoices(
      { token: 'USDT', units: unitsOf('USDT', 50), at: AT, claims },
      [quote('NEAR', 50.1), quote('CLAIMED', 52), quote('ENDED', 50.1, { heldTo: minutesFrom(-1) })],
      tokenOf,
    );
    expect(found.map(({ transId }) => transId)).toEqual(['CLAIMED', 'NEAR', 'ENDED']);
    expect(found.map(({ reasons }) => reasons.includes('claimed'))).toEqual([true, false, true]);
  });

  test('five at most', () => {
    const many = Array.from({ length: 9 }, (_, place) => quote(`T${place}`, 50 + place));
    expect(suggest(50, ...many).map(({ transId }) => transId)).toEqual(['T0', 'T1', 'T2', 'T3', 'T4']);
  });
});

test.each([
  [50, quote('A', 50), ['same_amount', 'open_then'], 0n],
  [49, quote('A', 50, { marked: true }), ['meant_for', 'near_amount', 'open_then'], -(10n ** 18n)],
  [55.1, quote('A', 50), ['other_amount', 'open_then'], 51n * 10n ** 17n],
  [55, quote('A', 50), ['near_amount', 'open_then'], 5n * 10n ** 18n],
  [50, quote('A', 50, { token: 'USDC' }), ['same_amount', 'other_token', 'open_then'], null],
  [50, quote('A', 50, { heldTo: AT }), ['same_amount', 'not_open_then'], 0n],
  [50, quote('A', 50, { heldFrom: minutesFrom(1) }), ['same_amount', 'not_open_then'], 0n],
])('%d sent for one quote has its reasons and the exact difference', (amount, candidate, reasons, differenceUnits) => {
  expect(suggest(amount, candidate)).toMatchObject([{ reasons, differenceUnits }]);
});

describe('amounts that quotes are looked for', () => {
  const network = requireNetwork(NETWORKS, 'BSC');
  const transfer = {
    id: 1n,
    to: '0xa',
    quoteId: null,
    blockTime: AT,
    token: 'USDT',
    units: String(unitsOf('USDT', 50)),
  };

  test('are of the own token where the amount alone was wrong, and of all tokens otherwise', () => {
    const tokens = (reason: string) => soughtAmounts(network, { ...transfer, reason }).map(({ token }) => token);
    expect(tokens('short')).toEqual(['USDT']);
    expect(tokens('wrong_token')).toEqual(network.tokens.map(({ symbol }) => symbol));
  });

  test('are the same number of each token, and fit the database however much was sent', () => {
    const sought = soughtAmounts(network, { ...transfer, reason: 'unknown' });
    for (const { token, displayUnits } of sought) expect(displayUnits).toBe(displayOf(token, 50));
    const [most] = soughtAmounts(network, { ...transfer, reason: 'over', units: '9'.repeat(70) });
    expect(most?.displayUnits).toBe(10n ** 16n);
  });
});
