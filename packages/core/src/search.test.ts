import { expect, test } from 'vitest';
import { amountOf, codePrefixOf, hashPrefixesOf, recognizeSearch, wordsOf } from './search.ts';

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
  expect(recognizeSearch(typed)).toEqual(expected);
});

test.each([EVM, EVM.toUpperCase().replace('0X', '0x')])('an address %s is found in each way of writing it', (typed) => {
  const sought = recognizeSearch(typed);
  expect(sought.kind === 'address' && sought.addresses).toContain('0x52908400098527886E0F7030069857D2E4169EE7');
});

test.each([TRON, SOLANA])('an address %s keeps its case', (typed) => {
  expect(recognizeSearch(typed)).toEqual({ kind: 'address', addresses: [typed] });
});

/** Texts of both programs that had rules of their own. */
test.each([
  ['TID-K7M2Q9X4B8D3F6H1', 'invoice'],
  ['tid-k7m2q9x4b8d3f6h1', 'invoice'],
  // Nothing but a whole code finds an invoice; the beginning of a code is searched like an order.
  ['TID-ABCD', 'text'],
  ['evt_1a2b', 'event'],
  [`evt_${'a'.repeat(101)}`, 'text'],
  [`0x${'ab'.repeat(32)}`, 'transaction'],
  ['ab'.repeat(32), 'transaction'],
  ['5'.repeat(88), 'transaction'],
  ['0x8894E0a0c962CB723c1976a4421c95949bE2D4E3', 'address'],
  ['0x8894e0a0C962CB723C1976A4421C95949BE2D4E3', 'address'],
  [TRON, 'address'],
  // A wrong checksum: no transfer can have this address.
  [`${TRON.slice(0, -1)}s`, 'text'],
  [SOLANA, 'address'],
  // A Solana address has 32 to 44 characters, and not every such text is 32 bytes.
  ['So11111111111111111111111111111111111111112', 'address'],
  ['Stake11111111111111111111111111111111111111', 'address'],
  ['1'.repeat(31) + '2', 'address'],
  ['z'.repeat(44), 'text'],
  ['ord_1001', 'text'],
  ['ab', 'text'],
])('%s is searched as %s', (typed, kind) => {
  expect(recognizeSearch(typed).kind).toBe(kind);
});

test.each<[string, ReturnType<typeof amountOf>]>([
  ['120', { from: '120', below: '121' }],
  ['119.04', { from: '119.04', below: '119.05' }],
  ['0.99', { from: '0.99', below: '1.00' }],
  ['$1,250.5', { from: '1250.5', below: '1250.6' }],
  ['12a', undefined],
  ['1.123456789', undefined],
  ['', undefined],
])('the amounts that begin with %j', (typed, range) => {
  expect(amountOf(typed)).toEqual(range);
});

test.each<[string, string | undefined]>([
  ['TID-K7M2Q9', 'TID-K7M2Q9'],
  [' k7m2q9x4 ', 'TID-K7M2Q9X4'],
  ['K7M2Q', undefined],
  ['two words', undefined],
])('the beginning of an invoice code in %j', (typed, prefix) => {
  expect(codePrefixOf(typed)).toBe(prefix);
});

test.each<[string, string[]]>([
  ['0xABCDEF', ['0xabcdef', 'abcdef']],
  ['abcde', []],
  ['5VfYdZ', ['5VfYdZ']],
  ['green coffee', []],
])('beginnings of transaction ids in %j', (typed, prefixes) => {
  expect(hashPrefixesOf(typed)).toEqual(prefixes);
});

test('a title is searched for by at most six words in lower case', () => {
  expect(wordsOf(' Green  COFFEE ')).toEqual(['green', 'coffee']);
  expect(wordsOf('a b c d e f g')).toHaveLength(6);
});
