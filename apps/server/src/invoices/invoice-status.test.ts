import { expect, test } from 'vitest';
import type { Decision, InvoiceFacts, Payment } from './invoice-status.ts';
import { decideInvoice } from './invoice-status.ts';

const seen: Payment = {
  transferId: 1n,
  canonical: true,
  settled: false,
  timing: 'in-window',
  attached: false,
  reason: null,
};
const settled: Payment = { ...seen, settled: true };
const reverted: Payment = { ...seen, canonical: false };
const second: Payment = { ...settled, transferId: 2n };
const late: Payment = { ...settled, timing: 'late' };
const grace: Payment = { ...settled, timing: 'in-grace' };

const rows: [string, InvoiceFacts, Decision][] = [
  [
    'nothing arrived and the window is open',
    { status: 'waiting', payments: [], covered: false },
    { status: 'waiting' },
  ],
  [
    'nothing arrived and every network is read past the end',
    { status: 'waiting', payments: [], covered: true },
    { status: 'expired' },
  ],
  ['a payment is seen', { status: 'waiting', payments: [seen], covered: false }, { status: 'processing' }],
  [
    'a seen payment freezes expiry',
    { status: 'processing', payments: [seen], covered: true },
    { status: 'processing' },
  ],
  [
    'a seen payment is kept from a waiting invoice whose end is covered',
    { status: 'waiting', payments: [seen], covered: true },
    { status: 'processing' },
  ],
  [
    'a person gives a seen payment up, and every other network is read past the end',
    { status: 'processing', payments: [seen], covered: true, givenUp: true },
    { status: 'expired' },
  ],
  [
    'a payment that is settled cannot be given up',
    { status: 'processing', payments: [settled], covered: true, givenUp: true },
    { status: 'completed', paidBy: 1n },
  ],
  ['it is settled', { status: 'processing', payments: [settled], covered: false }, { status: 'completed', paidBy: 1n }],
  [
    'it is settled at first sight',
    { status: 'waiting', payments: [settled], covered: false },
    { status: 'completed', paidBy: 1n },
  ],
  [
    'it is reorged out inside the window',
    { status: 'processing', payments: [reverted], covered: false },
    { status: 'waiting' },
  ],
  [
    'it is reorged out and the end is covered',
    { status: 'processing', payments: [reverted], covered: true },
    { status: 'expired' },
  ],
  [
    'one is reorged out, another stands',
    { status: 'processing', payments: [reverted, { ...seen, transferId: 2n }], covered: true },
    { status: 'processing' },
  ],
  [
    'two exact payments: the first to be settled wins',
    { status: 'processing', payments: [seen, second], covered: false },
    { status: 'completed', paidBy: 2n },
  ],
  [
    'two settled at once: the first in the chain wins',
    { status: 'processing', payments: [settled, second], covered: false },
    { status: 'completed', paidBy: 1n },
  ],
  [
    'a late payment alone does not complete',
    { status: 'waiting', payments: [late], covered: true },
    { status: 'expired' },
  ],
  [
    'a late payment does not hold expiry up',
    { status: 'waiting', payments: [{ ...late, settled: false }], covered: true },
    { status: 'expired' },
  ],
  [
    'a late payment within the grace completes, late',
    { status: 'waiting', payments: [grace], covered: true },
    { status: 'completed', paidBy: 1n, late: true },
  ],
  [
    'a grace payment that is only seen holds expiry up',
    { status: 'waiting', payments: [{ ...grace, settled: false }], covered: true },
    { status: 'processing' },
  ],
  [
    'a grace payment completes an expired invoice, late',
    { status: 'expired', payments: [grace], covered: true },
    { status: 'completed', paidBy: 1n, late: true },
  ],
  [
    'a payment in the window found after expiry completes, late',
    { status: 'expired', payments: [settled], covered: true },
    { status: 'completed', paidBy: 1n, late: true, foundLate: true },
  ],
  [
    'found after expiry but not yet settled: it stays expired',
    { status: 'expired', payments: [seen], covered: true },
    { status: 'expired' },
  ],
  [
    'an attached late payment completes, late',
    { status: 'expired', payments: [{ ...late, attached: true }], covered: true },
    { status: 'completed', paidBy: 1n, late: true },
  ],
  [
    'an attached payment in the window is not late',
    { status: 'waiting', payments: [{ ...settled, attached: true }], covered: false },
    { status: 'completed', paidBy: 1n },
  ],
  [
    'a completed invoice never changes, also when its payment is gone',
    { status: 'completed', payments: [reverted], covered: true },
    { status: 'completed' },
  ],
  [
    'a completed invoice takes no second payment',
    { status: 'completed', payments: [second], covered: true },
    { status: 'completed' },
  ],
];

test.each(rows)('deciding the status of an invoice: %s', (_rule, facts, decision) => {
  expect(decideInvoice(facts)).toEqual(decision);
});
