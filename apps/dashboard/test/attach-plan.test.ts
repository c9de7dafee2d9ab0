import { expect, test } from 'vitest';
import { planAttachment } from '../src/pages/unmatched/attach-plan.ts';

/** What a user must accept before a transfer is attached to an invoice. */

const ARRIVAL = { amount: '119.043518', token: 'USDT', network: 'TRC20' };

const quoteOf = (token_amount: string, token = 'USDT', network = 'TRC20') => ({
  token_amount,
  token,
  network,
  shown: false,
  to_address: 'T',
  token_price: '1',
  created_at: 0,
  settles_by: 'solidified',
  price_sources: [],
});

type Quote = ReturnType<typeof quoteOf>;

const plan = (quotes: Quote[], status = 'expired') =>
  planAttachment(ARRIVAL, { quotes, invoice: { status }, fees: [{ kind: 'hold', amount: '1.2', at: 0 }] });

test.each<[string, Quote[], string, string | undefined, string | undefined]>([
  [
    'the exact amount of an ended invoice needs no more than the confirmation',
    [quoteOf('119.043518')],
    'expired',
    '0.000000',
    undefined,
  ],
  ['less than expected must be accepted', [quoteOf('120.043518')], 'expired', '-1.000000', 'short'],
  ['more than expected must be accepted', [quoteOf('100')], 'expired', '19.043518', 'over'],
  ['the exact amount of an open invoice must be accepted', [quoteOf('119.043518')], 'waiting', '0.000000', 'open'],
  [
    'another token must be accepted, and has no difference',
    [quoteOf('119.043518', 'USDC')],
    'expired',
    undefined,
    'other',
  ],
  [
    'the same token on another network has no difference',
    [quoteOf('119.043518', 'USDT', 'BSC')],
    'expired',
    undefined,
    'other',
  ],
  ['an invoice without a chosen token must be accepted', [], 'waiting', undefined, 'other'],
])('%s', (_rule, quotes, status, difference, accepts) => {
  expect(plan(quotes, status)).toMatchObject({ difference, accepts, isOpen: status === 'waiting' });
});

test('a transfer is compared with the quote in its own token and network, whichever one the invoice shows', () => {
  const shown = { ...quoteOf('50', 'USDC', 'BSC'), shown: true };
  expect(plan([quoteOf('120.043518'), shown]).quote?.token_amount).toBe('120.043518');
  expect(plan([shown, quoteOf('7', 'ETH', 'ETH')]).quote).toBe(shown);
});

test('a fee is named where the reader may see it, unless it is zero', () => {
  const facts = { quotes: [quoteOf('120')], invoice: { status: 'expired' } };
  expect(plan([]).fee).toBe('1.2');
  expect(planAttachment(ARRIVAL, { ...facts, fees: null }).fee).toBeUndefined();
  expect(planAttachment(ARRIVAL, { ...facts, fees: [{ kind: 'hold', amount: '0', at: 0 }] }).fee).toBeUndefined();
});
