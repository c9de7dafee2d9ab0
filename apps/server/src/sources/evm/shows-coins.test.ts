import { describe, expect, test } from 'vitest';
import type { StatedCoins } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import { showsCoins } from './shows-coins.ts';

const TO = '0x00000000000000000000000000000000000000aa';
const BLOCK = `0x${'b'.repeat(64)}`;
const stated = (txId: string): StatedCoins => ({ txId, to: TO, units: 5n, height: 7, blockHash: BLOCK });
const answering = (transaction: unknown) => ({
  call: async (calls: readonly RpcCall[]) => calls.map(() => transaction),
});

describe('a transaction', () => {
  test.each([
    ['that moves these coins shows them', { blockHash: BLOCK, to: TO, value: '0x5' }, true],
    [
      'to an address in any case shows the coins',
      { blockHash: BLOCK, to: TO.toUpperCase().replace('X', 'x'), value: '0x5' },
      true,
    ],
    ['of another amount does not', { blockHash: BLOCK, to: TO, value: '0x6' }, false],
    ['to another receiver does not', { blockHash: BLOCK, to: `0x${'1'.repeat(40)}`, value: '0x5' }, false],
    ['of another block does not', { blockHash: `0x${'c'.repeat(64)}`, to: TO, value: '0x5' }, false],
    ['that creates a contract does not', { blockHash: BLOCK, to: null, value: '0x5' }, false],
    ['of a kind without value or receiver does not', { blockHash: BLOCK }, false],
    ['in no block yet says nothing', { blockHash: null, to: TO, value: '0x5' }, null],
    ['that is unknown says nothing', null, null],
    ['whose value cannot be read says nothing', { blockHash: BLOCK, to: TO, value: 'five' }, null],
    ['that is no object says nothing', 'odd', null],
  ])('a transaction %s', async (_title, transaction, expected) => {
    expect(await showsCoins(answering(transaction), [stated('0x1')])).toEqual([expected]);
  });

  test('a transaction that cannot be read hides no other of its batch', async () => {
    const transactions: Record<string, unknown> = {
      '0x1': { blockHash: 3 },
      '0x2': { blockHash: BLOCK, to: TO, value: '0x5' },
    };
    const call = async (calls: readonly RpcCall[]) => calls.map(({ params }) => transactions[String(params[0])]);
    expect(await showsCoins({ call }, [stated('0x1'), stated('0x2')])).toEqual([null, true]);
  });
});

test('transactions that are too much for one request are asked for in halves, in their order', async () => {
  const most = 3;
  const sizes: number[] = [];
  const call = async (calls: readonly RpcCall[]) => {
    sizes.push(calls.length);
    if (calls.length > most) throw new SourceError('range', 'too much');
    return calls.map(({ params }) => ({ blockHash: BLOCK, to: TO, value: params[0] === '0x4' ? '0x6' : '0x5' }));
  };
  const coins = ['0x1', '0x2', '0x3', '0x4', '0x5'].map(stated);
  expect(await showsCoins({ call }, coins)).toEqual([true, true, true, false, true]);
  expect(sizes).toEqual([5, 2, 2, 1]);
});
