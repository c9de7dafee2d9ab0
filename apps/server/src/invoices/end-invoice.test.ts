import { expect, test } from 'vitest';
import type { RefusalCode } from '../lib/refusal.ts';
import type { EndOutcome } from './end-invoice.ts';
import { refuseEnd } from './end-invoice.ts';
import type { EndFacts } from './end-invoice-sql.ts';

const given = { transferId: 1n, network: 'BSC', txId: '0xa', index: 'USDT:0', retired: true };
const read = { ...given, transferId: 2n, network: 'ETH', retired: false };
const processing: EndFacts = { id: 1n, storeId: 1n, status: 'processing', payments: [given] };

test.each<[string, EndFacts | undefined, EndOutcome, RefusalCode | undefined]>([
  ['processing, paid on a network that was given up, as completed', processing, 'completed', undefined],
  ['processing, paid on a network that was given up, as expired', processing, 'expired', undefined],
  ['expired, as completed after all', { ...processing, status: 'expired' }, 'completed', undefined],
  ['expired already, as expired', { ...processing, status: 'expired' }, 'expired', 'INVOICE_EXPIRED'],
  ['paid already, as completed', { ...processing, status: 'completed' }, 'completed', 'INVOICE_PAID'],
  [
    'without a canonical payment, as completed',
    { ...processing, payments: [] },
    'completed',
    'INVOICE_WITHOUT_PAYMENT',
  ],
  ['without a canonical payment, as expired', { ...processing, payments: [] }, 'expired', 'INVOICE_WITHOUT_PAYMENT'],
  [
    'paid on a network that is read, as completed',
    { ...processing, payments: [read] },
    'completed',
    'INVOICE_ENDS_BY_ITSELF',
  ],
  [
    'paid on a network given up and on one that is read too, as expired',
    { ...processing, payments: [given, read] },
    'expired',
    'INVOICE_PAID_ELSEWHERE',
  ],
  ['unknown, as completed', undefined, 'completed', 'INVOICE_UNKNOWN'],
])('ending by a person an invoice that is %s', (_case, facts, outcome, refusal) => {
  expect(refuseEnd(facts, outcome)?.code).toBe(refusal);
});
