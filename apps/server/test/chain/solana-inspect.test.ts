import type { Address } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import { inspectSolanaTransaction } from '../../src/sources/solana/inspect-transaction.ts';
import { randomAddress } from '../../rig/chains/solana/accounts.ts';
import { LOOKALIKE, NEWER, USDT } from '../../rig/chains/solana/mints.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { startSolanaNode } from '../../rig/chains/solana/node.ts';
import { payBatch, payFailing, paySol, paySpl } from '../../rig/chains/solana/payment.ts';

const network = findNetwork('SOL') ?? expect.unreachable('There is no SOL in our list.');
const SOL = 1_000_000_000n;

let node: SolanaNode;
let wallet: Address;

beforeAll(async () => {
  node = await startSolanaNode();
});
afterAll(() => node.stop());
beforeEach(() => {
  wallet = randomAddress();
});

const inspect = (txId: string) => inspectSolanaTransaction(network, node.url, txId);

test('coins are shown with their place and their time', async () => {
  const txId = paySol(node, { to: wallet, lamports: 3n * SOL });
  const { slot, time } = node.produce();
  node.produce(4);
  expect(await inspect(txId)).toEqual({
    succeeded: true,
    height: slot,
    time,
    transfers: [],
    coin: { to: wallet, units: 3n * SOL },
  });
});

test('every receiver of a batch is shown, and the rent of new accounts is no coin for anybody', async () => {
  const other = randomAddress();
  const txId = await payBatch(node, [
    { mint: USDT, to: wallet, units: 5n },
    { mint: LOOKALIKE, to: other, units: 6n },
  ]);
  node.produce();
  // A transaction sorts its accounts by address, and addresses are random here.
  const shown = await inspect(txId);
  expect(shown?.transfers).toHaveLength(2);
  expect(shown).toMatchObject({
    transfers: expect.arrayContaining([
      expect.objectContaining({ token: 'USDT', contract: USDT.address, to: wallet, units: 5n }),
      expect.objectContaining({ token: null, contract: LOOKALIKE.address, to: other, units: 6n }),
    ]),
    coin: { to: null, units: 0n },
  });
});

test('a token of the newer program is shown as one that we do not list', async () => {
  const txId = await paySpl(node, { mint: NEWER, to: wallet, units: 7n });
  node.produce();
  expect(await inspect(txId)).toMatchObject({
    transfers: [{ token: null, contract: NEWER.address, to: wallet, units: 7n }],
  });
});

test('a failed payment is shown as failed, and as moving nothing', async () => {
  const txId = await payFailing(node, { mint: USDT, to: wallet, units: 50n });
  node.produce();
  expect(await inspect(txId)).toMatchObject({ succeeded: false, transfers: [], coin: { to: null } });
});

test('a time that the node does not know is that of the block below', async () => {
  const before = node.produce();
  const txId = paySol(node, { to: wallet, lamports: SOL });
  const { slot } = node.produce();
  node.behave({ untimed: new Set([slot]) });
  expect(await inspect(txId)).toMatchObject({ height: slot, time: before.time });
  node.behave({ untimed: new Set() });
});

test.each(['', 'x', '0x00', '1'.repeat(64), 'I'.repeat(88), '2'.repeat(70)])(
  '%j is an unknown transaction',
  async (txId) => {
    expect(await inspect(txId)).toBeNull();
  },
);
