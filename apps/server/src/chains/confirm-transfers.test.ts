import { expect, test } from 'vitest';
import type { ChainReceipt } from '../sources/chain-source.ts';
import type { Judged } from './confirm-transfers.ts';
import { judgeByReceipt } from './confirm-transfers.ts';
import type { ChainTransfer } from '../sources/transfer.ts';

const usdt: ChainTransfer = {
  token: 'USDT',
  txId: '0xa',
  index: 'USDT:0',
  from: '0x1',
  to: '0x2',
  units: 50n,
  height: 7,
  blockHash: 'b7',
};
const coin: ChainTransfer = { ...usdt, token: 'BNB', index: 'native', units: 3n };
const other: ChainTransfer = { ...usdt, index: 'USDT:0', to: '0x9', units: 1n };
const second: ChainTransfer = { ...usdt, index: 'USDT:1' };

const receipt: ChainReceipt = { txId: '0xa', height: 7, blockHash: 'b7', succeeded: true, transfers: [usdt] };
const select = (transfers: readonly ChainTransfer[]) => transfers.filter(({ to }) => to === '0x2');
const reads = (first: ChainTransfer[], again: ChainTransfer[]) => ({ first, second: again });
const doubted = (index: string, why: string) => ({ watched: [], doubted: [{ tx: '0xa', index, height: 7, why }] });

test.each<[string, ReturnType<typeof reads>, ChainReceipt | null, boolean, Judged]>([
  ['both reads and the receipt show it', reads([usdt], [usdt]), receipt, true, { watched: [usdt], doubted: [] }],
  ['one read lacks it, and its receipt shows it', reads([], [usdt]), receipt, true, { watched: [usdt], doubted: [] }],
  [
    'the receipt numbers it otherwise: the receipt is right',
    reads([usdt], [usdt]),
    { ...receipt, transfers: [other, second] },
    true,
    { watched: [second], doubted: [] },
  ],
  [
    'the receipt lists one that no read showed',
    reads([usdt], []),
    { ...receipt, transfers: [usdt, second] },
    true,
    { watched: [usdt, second], doubted: [] },
  ],
  ['nobody has its receipt', reads([usdt], [usdt]), null, true, doubted('USDT:0', 'there is no receipt')],
  [
    'its receipt is of another block',
    reads([usdt], []),
    { ...receipt, blockHash: 'c7' },
    true,
    doubted('USDT:0', 'its receipt is of another block'),
  ],
  [
    'its receipt does not list it',
    reads([usdt], [usdt]),
    { ...receipt, transfers: [] },
    true,
    doubted('USDT:0', 'its receipt does not list it'),
  ],
  [
    'its transaction failed',
    reads([coin], [coin]),
    { ...receipt, succeeded: false },
    true,
    { watched: [], doubted: [] },
  ],
  [
    'coins that both reads show',
    reads([coin], [coin]),
    { ...receipt, transfers: [] },
    true,
    { watched: [coin], doubted: [] },
  ],
  [
    'coins that only one read shows',
    reads([coin], []),
    { ...receipt, transfers: [] },
    true,
    doubted('native', 'only one read shows these coins'),
  ],
  [
    'coins that only one read was asked for',
    reads([], [coin]),
    { ...receipt, transfers: [] },
    false,
    { watched: [coin], doubted: [] },
  ],
])('confirming a transfer: %s', (_case, shown, told, coinsTwice, judged) => {
  expect(judgeByReceipt(shown, told, { coinsTwice, select })).toEqual(judged);
});
