import { expect, test } from 'vitest';
import type { RefusalCode } from '../lib/refusal.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { TransferFacts } from './doubted-transfer.ts';
import { readersDecideSeconds, refuseAccept, refuseDiscard } from './doubted-transfer.ts';

const network = (symbol: string) => {
  const found = findNetwork(symbol);
  if (!found) throw new Error(`${symbol} is not listed.`);
  return found;
};

const blockTime = new Date('2026-11-15T00:00:00Z');
const minutesLater = (minutes: number) => new Date(blockTime.getTime() + minutes * 60_000);
const doubted: TransferFacts = {
  id: 1n,
  invoiceId: 2n,
  canonical: true,
  proven: false,
  settled: false,
  hasTwin: false,
  blockTime,
};

test.each<[string, TransferFacts | undefined, RefusalCode | undefined]>([
  ['one that nothing confirms', doubted, undefined],
  ['one that was read twice before confirmations were kept', { ...doubted, settled: true }, undefined],
  ['one that was confirmed', { ...doubted, proven: true }, 'TRANSFER_CONFIRMED'],
  ['a confirmed one with a twin, of which one may be a copy', { ...doubted, proven: true, hasTwin: true }, undefined],
  ['one that left the chain', { ...doubted, canonical: false }, 'TRANSFER_DISCARDED'],
  ['one that is not there', undefined, 'TRANSFER_UNKNOWN'],
])('discarding a doubted transfer: %s', (_case, facts, refusal) => {
  expect(refuseDiscard(facts)?.code).toBe(refusal);
});

test.each<[string, TransferFacts | undefined, number, RefusalCode | undefined]>([
  ['one that nothing confirms', doubted, 10, undefined],
  ['one that is too young', doubted, 9, 'TRANSFER_UNDECIDED_YET'],
  ['one that was confirmed', { ...doubted, proven: true }, 10, 'TRANSFER_NEEDS_NOBODY'],
  ['one that settles by itself', { ...doubted, settled: true }, 10, 'TRANSFER_NEEDS_NOBODY'],
  ['one that left the chain', { ...doubted, canonical: false }, 10, 'TRANSFER_NOT_IN_CHAIN'],
  ['one that is not there', undefined, 10, 'TRANSFER_UNKNOWN'],
])('accepting a doubted transfer: %s', (_case, facts, minutes, refusal) => {
  expect(refuseAccept(facts, network('BSC'), minutesLater(minutes))?.code).toBe(refusal);
});

test('accepting a transfer too early is refused with the time from which it is possible', () => {
  expect(refuseAccept(doubted, network('BSC'), minutesLater(9))?.details).toEqual({ minutes: 1 });
});

test.each([
  ['BSC', 600],
  ['ETH', 1_920],
  ['OPTIMISM', 3_000],
])('readers of %s decide by themselves for %i s', (symbol, seconds) => {
  expect(readersDecideSeconds(network(symbol))).toBe(seconds);
});
