import { describe, expect, test } from 'vitest';
import type { InvoiceFact, InvoiceFacts, TransferFact } from './invoice-timeline.ts';
import { confirmationsOf, tellTimeline } from './invoice-timeline.ts';

const at = (second: number) => new Date(second * 1_000);

const INVOICE: InvoiceFact = {
  id: 1n,
  transId: 'TID-A',
  storeId: 1n,
  requestId: null,
  status: 'waiting',
  late: false,
  amountUsd: '5',
  name: null,
  description: null,
  callbackUrl: null,
  completedUrl: null,
  expiredUrl: null,
  createdAt: at(0),
  expiresAt: at(100),
  settledAt: null,
  endedAt: null,
  cancelledAt: null,
  cancelledBy: null,
  feeMicroUsd: 1n,
  transactionHash: null,
  fromAddress: null,
  callbackStatus: null,
  gateNetwork: null,
  gateTier: null,
  quoteId: null,
  paidTransferId: null,
  currency: null,
  currency_amount: null,
  exchange_rate: null,
  rate_evidence: null,
};

const TRANSFER: TransferFact = {
  id: 1n,
  network: 'BSC',
  txId: '0xab',
  index: 'USDT:0',
  token: 'USDT',
  units: '5',
  fromAddress: '0x1',
  toAddress: '0x2',
  height: 10n,
  blockTime: at(20),
  canonical: true,
  pays: true,
  reason: null,
  seenAt: at(21),
  readBy: 'one.example',
  readHow: 'logs',
  provenAt: null,
  provenBy: null,
  provenHow: null,
  acceptedBy: null,
  attachedBy: null,
  namedBy: null,
  missingSince: null,
  headHeight: 14n,
};

const facts = (more: Partial<InvoiceFacts> = {}): InvoiceFacts => ({
  invoice: INVOICE,
  quotes: [],
  transfers: [],
  named: [],
  events: [],
  ...more,
});

const told = (more: Partial<InvoiceFacts>) =>
  tellTimeline(facts(more)).map(({ at: when, kind, subject, note }) =>
    [when.getTime() / 1_000, kind, subject, note].filter((part) => part !== null).join(' '),
  );

const expiredEvent = { eventId: 'evt_1', type: 'invoice.expired', sequence: 1, createdAt: at(110) };

describe('the timeline tells', () => {
  test.each<[string, Partial<InvoiceFacts>, string[]]>([
    ['an invoice that nobody touched', {}, ['0 created', '100 payable_until']],
    [
      'a payment with both of its reads',
      {
        invoice: { ...INVOICE, status: 'completed', settledAt: at(30), endedAt: at(30) },
        transfers: [{ ...TRANSFER, provenAt: at(25), provenBy: 'two.example', provenHow: 'receipt' }],
      },
      [
        '0 created',
        '21 transfer_seen BSC 0xab one.example: logs',
        '25 transfer_proven BSC 0xab two.example: receipt',
        '30 completed',
        '100 payable_until',
      ],
    ],
    [
      'why money pays nothing',
      { transfers: [{ ...TRANSFER, pays: false, reason: 'short' }] },
      ['0 created', '21 transfer_seen BSC 0xab short', '100 payable_until'],
    ],
    [
      'an invoice that expired before it was paid late',
      {
        invoice: { ...INVOICE, status: 'completed', late: true, settledAt: at(150), endedAt: at(150) },
        events: [expiredEvent],
      },
      ['0 created', '100 payable_until', '110 expired', '110 event evt_1 invoice.expired', '150 completed late'],
    ],
    [
      'an expiry that nobody was told of',
      { invoice: { ...INVOICE, status: 'expired', endedAt: at(105) } },
      ['0 created', '100 payable_until', '105 expired'],
    ],
    [
      'fees, attempts and what people did, things of one moment in the order of their causes',
      {
        ledger: [
          { kind: 'release', microUsd: 1n, at: at(110) },
          { kind: 'hold', microUsd: 1n, at: at(0) },
        ],
        events: [expiredEvent],
        deliveries: [
          { id: 7n, eventId: 'evt_1', url: 'https://a', state: 'pending', attempts: 2, nextAttemptAt: at(500) },
        ],
        attempts: [
          { deliveryId: 7n, number: 1, at: at(110), durationMs: 1, status: 500, error: null },
          { deliveryId: 7n, number: 2, at: at(120), durationMs: 1, status: null, error: 'timeout' },
        ],
        audited: [{ at: at(110), actor: 'operator', action: 'invoice.end', details: {} }],
      },
      [
        '0 created',
        '0 fee_held',
        '100 payable_until',
        '110 audited invoice.end operator',
        '110 expired',
        '110 fee_released',
        '110 event evt_1 invoice.expired',
        '110 attempt evt_1 500',
        '120 attempt evt_1 timeout',
      ],
    ],
    [
      'a transaction that somebody named, and what became of it',
      {
        named: [
          { network: 'BSC', txId: '0xcd', namedBy: 'payer', namedAt: at(40), endedAt: at(50), outcome: 'nothing' },
        ],
      },
      [
        '0 created',
        '40 transaction_named BSC 0xcd payer',
        '50 named_transaction_read BSC 0xcd nothing',
        '100 payable_until',
      ],
    ],
  ])('%s', (_what, more, expected) => {
    expect(told(more)).toEqual(expected);
  });
});

test.each([
  ['in the newest block', { height: 14n }, 1],
  ['below it', { height: 10n }, 5],
  ['above what was read', { height: 20n }, 0],
  ['not in the chain', { canonical: false }, null],
  ['where blocks are not read', { headHeight: null }, null],
])('confirmations of a transfer %s', (_where, more, expected) => {
  expect(confirmationsOf({ ...TRANSFER, ...more })).toBe(expected);
});
