import { describe, expect, test } from 'vitest';
import type { ConfirmationFacts } from './judge-mark.ts';
import { judgeMark } from './judge-mark.ts';

const folder = '0b8f6c0e-5d0c-4c7e-9c57-6f2f6f3f4a11';
const QUIET: ConfirmationFacts = {
  confirmed: false,
  acceptedBy: null,
  wentBack: false,
  ownSequence: 7n,
  isStale: false,
  hasInvoices: true,
};

describe('a mark in a state folder', () => {
  test.each([
    ['equal to the database confirms it', 7n, {}, { sequence: 8n }],
    ['behind the database confirms it: the worker ended between commit and file', 6n, {}, { sequence: 8n }],
    ['ahead of the database proves that it went back', 8n, {}, { refused: 'went-back' }],
    ['that the database does not know proves that it went back', 1n, { ownSequence: null }, { refused: 'went-back' }],
    ['ahead is not outvoted by another worker', 8n, { confirmed: true }, { refused: 'went-back' }],
    ['ahead is not outvoted by a migration', 8n, { acceptedBy: 'migration' }, { refused: 'went-back' }],
    [
      'ahead of an empty database proves that it went back',
      8n,
      { ownSequence: null, hasInvoices: false },
      { refused: 'went-back' },
    ],
    [
      'ahead continues above itself once an operator accepted the database',
      9n,
      { acceptedBy: 'operator' },
      { sequence: 10n },
    ],
    ['does not confirm a database that another mark refuted', 7n, { wentBack: true }, { refused: 'went-back' }],
    ['that misses what other folders were marked for is no proof', 7n, { isStale: true }, { refused: 'mark-missing' }],
    ['that is stale joins a worker that confirms', 7n, { isStale: true, confirmed: true }, { sequence: 8n }],
  ] as const)('%s', (_title, sequence, facts, judgement) => {
    expect(judgeMark({ folder, sequence }, { ...QUIET, ...facts })).toEqual(judgement);
  });

  test.each([
    ['needs an operator where invoices exist', {}, { refused: 'mark-missing' }],
    ['begins in a database without invoices', { hasInvoices: false }, { sequence: 1n }],
    ['joins another worker that confirms', { confirmed: true }, { sequence: 1n }],
    [
      'begins after the migration that made the table, on the same run of the server',
      { acceptedBy: 'migration' },
      { sequence: 1n },
    ],
    ['begins once an operator accepted the database', { acceptedBy: 'operator' }, { sequence: 1n }],
    ['confirms nothing that another mark refuted', { wentBack: true, hasInvoices: false }, { refused: 'went-back' }],
  ] as const)('a missing mark %s', (_title, facts, judgement) => {
    expect(judgeMark(undefined, { ...QUIET, ownSequence: null, ...facts })).toEqual(judgement);
  });
});
