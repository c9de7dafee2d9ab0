import { expect, test } from 'vitest';
import { recognise } from './search.ts';

const HASH = 'Ab'.repeat(32);
const EVM = '0x52908400098527886e0f7030069857d2e4169ee7';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

test.each([
  ['the code of an invoice', ' tid-a123456789012345 ', { kind: 'invoice', transId: 'TID-A123456789012345' }],
  ['an event', 'evt_abc-1', { kind: 'event', eventId: 'evt_abc-1' }],
  ['a hash', `0x${HASH}`, { kind: 'transaction', txIds: [`0x${HASH.toLowerCase()}`, HASH.toLowerCase()] }],
  ['a hash without 0x', HASH, { kind: 'transaction', txIds: [`0x${HASH.toLowerCase()}`, HASH.toLowerCase()] }],
  ['a signature', '5'.repeat(88), { kind: 'transaction', txIds: ['5'.repeat(88)] }],
  ['an order', 'order-1', { kind: 'text', text: 'order-1' }],
  ['a short code', 'TID-1', { kind: 'text', text: 'TID-1' }],
  ['markup', '<b>=1', { kind: 'text', text: '<b>=1' }],
])('%s is recognised', (_what, typed, expected) => {
  expect(recognise(typed)).toEqual(expected);
});

test.each([EVM, EVM.toUpperCase().replace('0X', '0x')])('an address %s is found in each way of writing it', (typed) => {
  const sought = recognise(typed);
  expect(sought.kind === 'address' && sought.addresses).toContain('0x52908400098527886E0F7030069857D2E4169EE7');
});

test.each([TRON, SOLANA])('an address %s keeps its case', (typed) => {
  expect(recognise(typed)).toEqual({ kind: 'address', addresses: [typed] });
});
