import type { Address } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { ChainPosition, AccountRead } from '../../src/sources/account-source.ts';
import type { SolanaSource } from '../../src/sources/solana/solana-source.ts';
import { createSolanaSource } from '../../src/sources/solana/solana-source.ts';
import { randomAddress } from '../../rig/chains/solana/accounts.ts';
import { blockAtOrBelow, blockTimeAt } from '../../rig/chains/solana/ledger.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { SLOT_SECONDS, startSolanaNode } from '../../rig/chains/solana/node.ts';
import { paySol } from '../../rig/chains/solana/payment.ts';

/** Changes that a network makes without notice: the form of its transactions, and the duration of a slot. */

const network = findNetwork('SOL') ?? expect.unreachable('There is no SOL in our list.');
const SOL = 1_000_000_000n;

let node: SolanaNode;
let source: SolanaSource;
let wallet: Address;
let start: ChainPosition;

beforeAll(async () => {
  node = await startSolanaNode();
});
afterAll(() => node.stop());
beforeEach(() => {
  node.behave({ withheld: new Set(), garbled: new Set(), versions: new Map() });
  source = createSolanaSource(network, [node.url]);
  wallet = randomAddress();
  const { slot: height, time } = node.produce();
  start = { height, time };
});

const slotOf = (signature: string) => node.ledger.bySignature.get(signature)?.slot ?? 0;

async function read(): Promise<AccountRead> {
  const { confirmed } = await source.heads('first');
  return source.readAccount({ account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' });
}

describe('a transaction that cannot be read', () => {
  let good: string;
  let bad: string;
  beforeEach(() => {
    bad = paySol(node, { to: wallet, lamports: 7n * SOL });
    node.produce(3);
    good = paySol(node, { to: wallet, lamports: SOL });
    node.produce();
  });

  test.each([
    ['of a version that we do not know', () => ({ versions: new Map([[bad, 2]]) }), 'version'],
    ['that nobody can decode', () => ({ garbled: new Set([bad]) }), 'malformed'],
    ['that is listed and not given', () => ({ withheld: new Set([bad]) }), 'missing'],
  ])('%s hides no other, and is reported', async (_title, change, fault) => {
    node.behave(change());
    const { transfers, unreadable, end } = await read();
    expect(transfers.map(({ txId }) => txId)).toEqual([good]);
    const below = blockAtOrBelow(node.ledger, slotOf(bad) - 1);
    expect(unreadable).toMatchObject([
      { txId: bad, height: slotOf(bad), fault, below: { height: slotOf(bad) - 1, time: below?.time } },
    ]);
    expect(end.height).toBe(slotOf(good));
  });

  test('is asked for at the other providers before that is believed', async () => {
    const door = await node.openDoor();
    node.behave({ versions: new Map([[bad, 2]]) });
    const both = createSolanaSource(network, [node.url, door.url]);
    const { confirmed } = await both.heads('first');
    const shown = await both.readAccount({
      account: wallet,
      after: start,
      upTo: confirmed,
      commitment: 'confirmed',
      pass: 'first',
    });
    expect(shown.unreadable).toEqual([]);
    expect(shown.transfers.map(({ txId }) => txId)).toEqual([bad, good]);
  });

  test('is not asked for again once that is known', async () => {
    node.behave({ versions: new Map([[bad, 2]]) });
    const { confirmed } = await source.heads('first');
    const request = { account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' } as const;
    node.resetCounts();
    const { transfers, unreadable } = await source.readAccount({ ...request, unread: new Set([bad]) });
    expect([transfers.length, unreadable]).toEqual([1, []]);
    expect(node.counts().calls['getTransaction']).toBe(1);
  });

  test('is distinguished from one that is not in the chain', async () => {
    node.behave({ withheld: new Set([bad]), versions: new Map([[good, 9]]) });
    const gone = paySol(node, { to: wallet, lamports: SOL });
    node.produce();
    node.drop(1);
    node.produce();
    const txIds = [good, bad, gone];
    const { transactions } = await source.readTransactions({
      account: wallet,
      txIds,
      commitment: 'confirmed',
      pass: 'first',
    });
    expect(transactions).toMatchObject([
      { txId: good, outcome: 'unreadable', fault: 'version' },
      { txId: bad, outcome: 'unreadable', fault: 'missing' },
      { txId: gone, outcome: 'absent' },
    ]);
  });
});

test('transactions of the version that every third one has on mainnet are read like all others', async () => {
  const paid = Array.from({ length: 9 }, (_unused, count) => {
    const signature = paySol(node, { to: wallet, lamports: SOL + BigInt(count) });
    node.produce();
    return signature;
  });
  const versions = paid.map((signature) => node.ledger.bySignature.get(signature)?.version);
  expect(versions.filter((version) => version === 1)).toHaveLength(3);
  expect((await read()).transfers.map(({ txId }) => txId)).toEqual(paid);
});

describe.each(SLOT_SECONDS)('where a slot lasts %f s', (blockSeconds) => {
  test.each([0, 1_800])('the block before a moment is found, with the clock %i s behind', async (behind) => {
    const own = await startSolanaNode({ blockSeconds });
    try {
      own.delayClock(behind);
      const head = own.produce(1, { atTime: 1_750_010_000 });
      own.produce(4_000);
      const { finalized } = await createSolanaSource(network, [own.url]).heads('first');
      const time = head.time - 60;
      const found = await createSolanaSource(network, [own.url]).positionBefore(time, finalized, 'first');
      expect(found.time).toBeLessThan(time);
      expect(blockTimeAt(own.ledger, found.height)).toBe(found.time);
    } finally {
      await own.stop();
    }
  });
});
