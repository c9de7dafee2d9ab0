import { expect, test } from 'vitest';
import type { EndOutcome } from './end-invoice.ts';
import { refuseEnd } from './end-invoice.ts';
import type { EndFacts } from './end-invoice-store.ts';

const given = { transferId: 1n, network: 'BSC', txId: '0xa', index: 'USDT:0', retired: true };
const read = { ...given, transferId: 2n, network: 'ETH', retired: false };
const processing: EndFacts = { id: 1n, storeId: 1n, status: 'processing', payments: [given] };

test.each<[string, EndFacts | undefined, EndOutcome, RegExp | undefined]>([
  ['processing, paid on a network that was given up', processing, 'completed', undefined],
  ['the same, that is to expire', processing, 'expired', undefined],
  ['expired, and completed after all', { ...processing, status: 'expired' }, 'completed', undefined],
  ['expired already', { ...processing, status: 'expired' }, 'expired', /expired already/],
  ['paid already', { ...processing, status: 'completed' }, 'completed', /paid already/],
  ['without a payment that stands', { ...processing, payments: [] }, 'completed', /expires by itself/],
  ['without one, that is to expire', { ...processing, payments: [] }, 'expired', /expires by itself/],
  ['paid on a network that is read', { ...processing, payments: [read] }, 'completed', /ends by itself/],
  ['paid on one that is read too', { ...processing, payments: [given, read] }, 'expired', /Another payment/],
  ['not there', undefined, 'completed', /no such invoice/],
])('an invoice that is %s', (_case, facts, outcome, refusal) => {
  expect(refuseEnd(facts, outcome) ?? '').toMatch(refusal ?? /^$/);
});
