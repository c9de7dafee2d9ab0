import { expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { InspectedTransaction } from '../sources/inspected-transaction.ts';
import type { ExplainedQuote, Explanation } from './transaction-explanation.ts';
import { explainTransaction } from './transaction-explanation.ts';

const network = findNetwork('BSC') ?? fail();
const address = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const scale = 10n ** 12n;
const start = 1_794_700_000;

const quote: ExplainedQuote = {
  id: 1n,
  network: 'BSC',
  token: 'USDT',
  toAddress: address,
  displayUnits: 50_000_317n,
  tokenAmount: '50.000317',
  tokenPriceUsd: '1',
  finality: 'finalized',
  reference: null,
  createdAt: new Date(start * 1000),
};
const expiresAt = new Date((start + 1800) * 1000);

const paid: InspectedTransaction = {
  succeeded: true,
  height: 10,
  time: start + 60,
  transfers: [{ token: 'USDT', contract: '0x55', to: address.toLowerCase(), units: 50_000_317n * scale }],
  coin: { to: '0x55', units: 0n },
};
const [transfer] = paid.transfers as [InspectedTransaction['transfers'][number]];
const withTransfers = (...transfers: InspectedTransaction['transfers']) => ({ ...paid, transfers });

function fail(): never {
  throw new Error('BSC is not listed.');
}

test.each<[string, InspectedTransaction | null, Partial<Explanation>]>([
  ['an exact payment inside the window matches', paid, { reason: 'matches', height: 10 }],
  ['one of several transfers is exact', withTransfers({ ...transfer, units: 1n }, transfer), { reason: 'matches' }],
  ['a transaction that nobody knows', null, { reason: 'not-found' }],
  ['a transaction that failed', { ...paid, succeeded: false }, { reason: 'failed' }],
  [
    'short by 0.3',
    withTransfers({ ...transfer, units: 49_700_317n * scale }),
    { reason: 'short', byUnits: 300_000n * scale },
  ],
  [
    'over by one base unit',
    withTransfers({ ...transfer, units: transfer.units + 1n }),
    { reason: 'over', byUnits: 1n },
  ],
  ['four minutes late', { ...paid, time: start + 1800 + 240 }, { reason: 'late', bySeconds: 240 }],
  ['in the last second of the window', { ...paid, time: start + 1800 }, { reason: 'matches' }],
  ['before the quote, beyond the skew', { ...paid, time: start - 121 }, { reason: 'early', bySeconds: 1 }],
  [
    'another token of our list',
    withTransfers({ ...transfer, token: 'USDC' }),
    { reason: 'wrong-token', token: 'USDC' },
  ],
  [
    'a look-alike token',
    withTransfers({ ...transfer, token: null, contract: '0xfa4e' }),
    { reason: 'unlisted-token', contract: '0xfa4e' },
  ],
  ['to somebody else', withTransfers({ ...transfer, to: '0x01' }), { reason: 'other-address' }],
  [
    'coins sent through a contract',
    { ...withTransfers(), coin: { to: '0xba7c', units: 5n, throughContract: true } },
    { reason: 'through-contract' },
  ],
  [
    'coins in a plain transfer to somebody else',
    { ...withTransfers(), coin: { to: '0x01', units: 5n } },
    { reason: 'other-address' },
  ],
  [
    'a contract wallet, which sends coins of its own',
    { ...withTransfers(), coin: { to: '0xba7c', units: 0n, throughContract: true } },
    { reason: 'through-contract' },
  ],
  [
    'a token contract that was called to pay somebody else',
    { ...withTransfers({ ...transfer, to: '0x01' }), coin: { to: '0xba7c', units: 0n, throughContract: true } },
    { reason: 'other-address' },
  ],
  [
    'the coin instead of the token',
    { ...withTransfers(), coin: { to: address, units: 5n } },
    { reason: 'wrong-token', token: 'BNB' },
  ],
])('explaining a transaction: %s', (_rule, transaction, explanation) => {
  expect(explainTransaction(network, quote, expiresAt, transaction)).toMatchObject(explanation);
});
