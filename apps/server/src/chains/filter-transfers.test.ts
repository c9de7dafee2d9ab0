import { expect, test } from 'vitest';
import type { ChainSource } from '../sources/chain-source.ts';
import { placeTransfers } from './filter-transfers.ts';

const transfer = {
  token: 'USDT',
  txId: '0x1',
  index: 'USDT:0',
  from: '0xa',
  to: '0xb',
  units: 1n,
  height: 5,
  blockHash: '0x5',
};
const blockOf = (hash: string) => ({ height: 5, hash, parentHash: '0x4', time: 50 });

function sourceOf(hash: string): Pick<ChainSource, 'confirm' | 'blockAt'> {
  return { confirm: async (transfers) => [...transfers], blockAt: async () => blockOf(hash) };
}

const place = (known: readonly string[], asked: string) =>
  placeTransfers({ source: sourceOf(asked) as ChainSource }, [transfer], known.map(blockOf), 'first');

test('a transfer gets the time of its block, from the read or from the provider', async () => {
  expect(await place(['0x5'], '0x5')).toEqual([{ ...transfer, blockTime: 50 }]);
  expect(await place([], '0x5')).toEqual([{ ...transfer, blockTime: 50 }]);
});

test('a transfer of another fork than its range is not placed', async () => {
  await expect(place(['0x6'], '0x5')).rejects.toMatchObject({ kind: 'inconsistent' });
  await expect(place([], '0x6')).rejects.toMatchObject({ kind: 'inconsistent' });
});
