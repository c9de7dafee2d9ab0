import { describe, expect, test } from 'vitest';
import type { FaultFact, FaultRecord } from '../rig/report/fault-judgement.ts';
import { judgeFaults, worstRecovery } from '../rig/report/fault-judgement.ts';

const FAULT: FaultFact = {
  kind: 'kill-api',
  evidence: 'SIGKILL',
  requests: 1,
  payments: 1,
  recoverySeconds: 2,
  broken: [],
};
/** A paid invoice of a run in which nothing went wrong. */
const RIGHT: FaultRecord = {
  acknowledged: [{ requestId: 'r1', transIds: ['TID-1', 'TID-1'] }],
  invoices: [{ requestId: 'r1', transId: 'TID-1', status: 'completed', tx: '0x1', events: ['invoice.completed'] }],
  payments: [{ transId: 'TID-1', tx: '0x1' }],
  onChain: new Set(['0x1']),
  transfers: [{ tx: '0x1', transId: 'TID-1', reason: null }],
  events: [{ eventId: 'evt_1', transId: 'TID-1' }],
  receipts: [{ eventId: 'evt_1', succeeded: 2 }],
  changedBodies: 0,
  wrongSignatures: 0,
  owed: [{ what: 'an email', given: true }],
  ledgerFaults: [],
  faults: [FAULT],
  promised: ['kill-api'],
};
const [INVOICE] = RIGHT.invoices as [FaultRecord['invoices'][number]];
const WAITING = { ...INVOICE, status: 'waiting', tx: null, events: [] };
const unsettled = { ...RIGHT, invoices: [WAITING], events: [], receipts: [] };

test('a run in which nothing was lost or doubled has no findings', () => {
  expect(judgeFaults(RIGHT)).toEqual({ lost: [], double: [], failures: [] });
});

describe('losses', () => {
  test.each<[string, FaultRecord, string[]]>([
    [
      'an acknowledged invoice that does not exist',
      { ...RIGHT, acknowledged: [{ requestId: 'r2', transIds: ['TID-2'] }] },
      ['TID-2 of r2 does not exist'],
    ],
    ['a payment whose invoice still waits', unsettled, ['0x1 pays TID-1, which is waiting']],
    [
      'a payment whose invoice another transaction settled',
      { ...RIGHT, payments: [...RIGHT.payments, { transId: 'TID-1', tx: '0x2' }], onChain: new Set(['0x1', '0x2']) },
      ['0x2 pays TID-1, which is completed'],
    ],
    [
      'an event that no receiver accepted',
      { ...RIGHT, receipts: [{ eventId: 'evt_1', succeeded: 0 }] },
      ['evt_1 of TID-1 was not delivered'],
    ],
    [
      'a completed invoice without an event',
      { ...RIGHT, invoices: [{ ...INVOICE, events: [] }], events: [], receipts: [] },
      ['TID-1 is completed and has no event'],
    ],
    [
      'an acknowledged email',
      { ...RIGHT, owed: [{ what: 'an email', given: false }] },
      ['an email was acknowledged and is not there'],
    ],
  ])('%s counts as lost', (_title, record, expected) => {
    expect(judgeFaults(record)).toEqual({ lost: expected, double: [], failures: [] });
  });

  test('a payment with a reason why it pays nothing does not count as lost', () => {
    const transfers = [{ tx: '0x1', transId: null, reason: 'late' }];
    expect(judgeFaults({ ...unsettled, transfers }).lost).toEqual([]);
  });
});

describe('doubles', () => {
  test.each<[string, FaultRecord, string[]]>([
    [
      'two answers with different invoices to one request id',
      {
        ...RIGHT,
        acknowledged: [{ requestId: 'r1', transIds: ['TID-1', 'TID-2'] }],
        invoices: [INVOICE, { ...WAITING, transId: 'TID-2', requestId: 'r2' }],
      },
      ['r1 was answered with TID-1 and TID-2'],
    ],
    [
      'two invoices of one request id',
      { ...RIGHT, invoices: [INVOICE, { ...WAITING, transId: 'TID-2' }] },
      ['r1 has more than one invoice'],
    ],
    [
      'a transaction that settles two invoices',
      {
        ...RIGHT,
        invoices: [INVOICE, { ...INVOICE, transId: 'TID-2', requestId: 'r2' }],
      },
      ['0x1 settles more than one invoice', 'TID-2 is completed by 0x1, which does not pay it'],
    ],
    [
      'an invoice with two completed events',
      { ...RIGHT, invoices: [{ ...INVOICE, events: ['invoice.completed', 'invoice.completed'] }] },
      ['TID-1 has more than one invoice.completed'],
    ],
    [
      'an event that was sent and is not in the database',
      { ...RIGHT, receipts: [...RIGHT.receipts, { eventId: 'evt_2', succeeded: 1 }] },
      ['evt_2 was sent and is unknown'],
    ],
    ['an event id with two bodies', { ...RIGHT, changedBodies: 1 }, ['an event id came with another body']],
  ])('%s counts as double', (_title, record, expected) => {
    expect(judgeFaults(record)).toEqual({ lost: [], double: expected, failures: [] });
  });
});

describe('failures', () => {
  test.each<[string, FaultRecord, string[]]>([
    [
      'a fault did not take place',
      { ...RIGHT, faults: [{ ...FAULT, evidence: undefined }] },
      ['kill-api: nothing shows that it took place'],
    ],
    [
      'a fault met no request',
      { ...RIGHT, faults: [{ ...FAULT, requests: 0 }] },
      ['kill-api: no request was in progress'],
    ],
    [
      'a fault met no payment',
      { ...RIGHT, faults: [{ ...FAULT, payments: 0 }] },
      ['kill-api: no payment was on its way'],
    ],
    [
      'something did not recover',
      { ...RIGHT, faults: [{ ...FAULT, recoverySeconds: undefined, broken: ['webhooks'] }] },
      ['kill-api: webhooks did not work again'],
    ],
    [
      'a promised fault was not caused',
      { ...RIGHT, promised: ['kill-api', 'disk-full'] },
      ['disk-full was not caused'],
    ],
    ['a signature is wrong', { ...RIGHT, wrongSignatures: 1 }, ['1 signatures are wrong']],
    ['the ledger does not balance', { ...RIGHT, ledgerFaults: ['off by one'] }, ['off by one']],
  ])('the drill fails when %s', (_title, record, expected) => {
    expect(judgeFaults(record)).toEqual({ lost: [], double: [], failures: expected });
  });

  test('the drill fails when no payment was made', () => {
    const record = {
      ...RIGHT,
      invoices: [WAITING],
      payments: [],
      onChain: new Set<string>(),
      events: [],
      receipts: [],
    };
    expect(judgeFaults(record).failures).toEqual(['no payment was made']);
  });

  test('the drill fails when a chain has a payment that no customer made', () => {
    const { failures } = judgeFaults({ ...RIGHT, onChain: new Set(['0x1', '0x9']) });
    expect(failures).toEqual(['0x9 is on a chain and no customer made it']);
  });

  test('the drill fails when a payment is not on its chain', () => {
    expect(judgeFaults({ ...RIGHT, onChain: new Set() }).failures).toEqual(['0x1 is not on its chain']);
  });
});

describe('the worst recovery', () => {
  test('the worst recovery is the longest of all faults', () => {
    expect(worstRecovery([FAULT, { ...FAULT, recoverySeconds: 7 }])).toBe(7);
  });

  test('the worst recovery is unknown when a fault was not recovered from', () => {
    expect(worstRecovery([FAULT, { ...FAULT, recoverySeconds: undefined }])).toBeUndefined();
  });
});
