import { expect, test } from 'vitest';
import { SourceError } from '../chain-source.ts';
import { readInnerCoins } from './read-inner-coins.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';

const [NAMED, OTHER, RECEIVER, SENDER] = ['0x1', '0x2', '0xb', '0xa'];
const request = { txId: NAMED, height: 7, blockHash: '0xblock', to: RECEIVER };

const receipt = (transactionHash: string, gasUsed: string) => ({ transactionHash, status: '0x1', gasUsed, to: '0xc' });

/** A provider without traces: the receiver gains 10 in a block that also holds a transaction to this receiver. */
function provider(value: string | null | undefined): RpcProvider {
  const answers: Record<string, unknown[]> = {
    eth_getBalance: ['0x5', '0xf'],
    eth_getBlockByNumber: [
      {
        hash: '0xblock',
        miner: '0xd',
        transactions: [
          { hash: NAMED, from: SENDER, to: '0xc', value: '0xa' },
          { hash: OTHER, from: SENDER, to: RECEIVER, value },
        ],
      },
    ],
    eth_getBlockReceipts: [[receipt(NAMED, '0xffff'), receipt(OTHER, '0x5208')]],
  };
  const answer = ({ method }: RpcCall) => {
    const found = answers[method]?.shift();
    if (found === undefined) throw new SourceError('unsupported', `${method} is not offered.`);
    return found;
  };
  return { call: async (calls) => calls.map(answer), each: () => Promise.reject(new Error('Not asked.')) };
}

test('coins that came directly in the same block are not counted as passed on', async () => {
  const read = await readInnerCoins(provider('0x4'), request, new Map());
  expect(read).toEqual({ how: 'balances', units: 6n, from: SENDER, gain: 10n });
});

test.each([null, undefined])(
  'a transaction to the receiver with the value %s is not counted as zero',
  async (value) => {
    expect(await readInnerCoins(provider(value), request, new Map())).toEqual({ how: 'unknown', why: 'ambiguous' });
  },
);
