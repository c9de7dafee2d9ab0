import { expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import type { JudgedTransfer, Judgement } from './judge-transfer.ts';
import { judgeTransfer } from './judge-transfer.ts';
import type { ChainTransfer } from '../sources/transfer.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

const network = findNetwork('BSC');
if (!network) throw new Error('BSC is unknown.');

const transfer: JudgedTransfer = { index: 'USDT:0', to: '0xAA', units: 5n, blockHash: '0x1' };
const listed: ChainTransfer = {
  token: 'USDT',
  txId: '0x9',
  index: 'USDT:3',
  from: '0xbb',
  to: '0xaa',
  units: 5n,
  height: 1,
  blockHash: '0x1',
};
const receipt: ChainReceipt = { txId: '0x9', height: 1, blockHash: '0x1', succeeded: true, transfers: [listed] };
const coin: JudgedTransfer = { ...transfer, index: NATIVE_INDEX };

test.each<[string, JudgedTransfer, ChainReceipt | null, Judgement]>([
  ['lists it, under whatever number', transfer, receipt, 'proven'],
  ['is missing', transfer, null, 'unknown'],
  ['is of another block', transfer, { ...receipt, blockHash: '0x2' }, 'contradicted'],
  ['is of a failed transaction', transfer, { ...receipt, succeeded: false }, 'contradicted'],
  ['lists nothing', transfer, { ...receipt, transfers: [] }, 'contradicted'],
  ['lists another amount', transfer, { ...receipt, transfers: [{ ...listed, units: 6n }] }, 'contradicted'],
  ['lists another receiver', transfer, { ...receipt, transfers: [{ ...listed, to: '0xab' }] }, 'contradicted'],
  ['lists another token', transfer, { ...receipt, transfers: [{ ...listed, index: 'USDC:0' }] }, 'contradicted'],
  ['lists one of two that were read, for the first', { ...transfer, alikeBefore: 0 }, receipt, 'proven'],
  ['lists one of two that were read, for the second', { ...transfer, alikeBefore: 1 }, receipt, 'contradicted'],
  [
    'lists both of two that were read, for the second',
    { ...transfer, alikeBefore: 1 },
    { ...receipt, transfers: [listed, { ...listed, index: 'USDT:4' }] },
    'proven',
  ],
  ['lists no coins, as none does', coin, { ...receipt, transfers: [] }, 'proven'],
])('a transfer whose receipt %s', (_title, judged, given, judgement) => {
  expect(judgeTransfer(network, judged, given)).toBe(judgement);
});
