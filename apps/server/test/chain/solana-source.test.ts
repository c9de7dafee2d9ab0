import type { Address } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import type { AccountCommitment, ChainPosition, AccountRead } from '../../src/sources/account-source.ts';
import { MAX_TRANSACTIONS_PER_READ } from '../../src/sources/solana/read-account.ts';
import type { SolanaSource } from '../../src/sources/solana/solana-source.ts';
import { createSolanaSource } from '../../src/sources/solana/solana-source.ts';
import { putLookupTable, putMint, putToken, putWrapped, randomAddress } from '../../rig/chains/solana/accounts.ts';
import {
  associatedAccount,
  closeToken,
  TOKEN_2022_PROGRAM,
  transferToken,
  WRAPPED_SOL,
} from '../../rig/chains/solana/instructions.ts';
import { blockAtOrBelow, firstSlotOf } from '../../rig/chains/solana/ledger.ts';
import { LOOKALIKE, NEWER, USDC, USDT } from '../../rig/chains/solana/mints.ts';
import type { SolanaNode } from '../../rig/chains/solana/node.ts';
import { startSolanaNode } from '../../rig/chains/solana/node.ts';
import {
  payBatch,
  payByClosing,
  payFailing,
  paySol,
  paySpl,
  payThroughProgram,
  send,
} from '../../rig/chains/solana/payment.ts';

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
  source = createSolanaSource(network, [node.url]);
  wallet = randomAddress();
  start = produceMark();
});
afterEach(() =>
  node.behave({
    lagSlots: 0,
    staleShare: 1,
    splitBatches: false,
    indexLagSlots: 0,
    ignoresMinContextSlot: false,
    untimed: new Set(),
    withheld: new Set(),
    garbled: new Set(),
    versions: new Map(),
    forgetsSilently: false,
    storageUnreachable: false,
    alpenglow: false,
    firstAvailable: firstSlotOf(node.ledger),
    fault: null,
    faultShare: 1,
  }),
);

/** Makes blocks and answers the position of the newest. */
function produceMark(count = 1): ChainPosition {
  const { slot: height, time } = node.produce(count);
  return { height, time };
}

async function read(after = start, commitment: AccountCommitment = 'confirmed'): Promise<AccountRead> {
  const heads = await source.heads('first');
  return source.readAccount({ account: wallet, after, upTo: heads[commitment], commitment, pass: 'first' });
}

/** Arrived transfers, by token and units. */
async function arrived(): Promise<[string, bigint][]> {
  const { transfers } = await read();
  return transfers.map(({ token, units }): [string, bigint] => [token, units]);
}

describe('what is credited', () => {
  test('coins, with who sent them, when and where', async () => {
    const from = randomAddress();
    const txId = paySol(node, { to: wallet, lamports: 3n * SOL, from });
    const { slot, time } = node.produce();
    const place = { height: slot, blockHash: `slot:${slot}`, blockTime: time, references: [] };
    expect((await read()).transfers).toEqual([
      { token: 'SOL', index: `native:${wallet}`, txId, from, to: wallet, units: 3n * SOL, ...place },
    ]);
  });

  test('tokens at an account that did not exist before, with the owner that sent them', async () => {
    const from = randomAddress();
    const txId = await paySpl(node, { mint: USDT, to: wallet, units: 12_345_678n, from, memo: 'TID-1' });
    node.produce();
    expect((await read()).transfers).toMatchObject([
      { token: 'USDT', index: `USDT:${wallet}`, txId, from, to: wallet, units: 12_345_678n },
    ]);
  });

  test('tokens at an account that had some before: only what was added', async () => {
    await paySpl(node, { mint: USDC, to: wallet, units: 5_000_000n });
    start = produceMark(300);
    await paySpl(node, { mint: USDC, to: wallet, units: 7n });
    node.produce();
    expect(await arrived()).toEqual([['USDC', 7n]]);
  });

  test('tokens that one program moved by calling another', async () => {
    await payThroughProgram(node, { mint: USDT, to: wallet, units: 9n });
    node.produce();
    expect(await arrived()).toContainEqual(['USDT', 9n]);
  });

  test('coins that came without any transfer', async () => {
    payByClosing(node, { to: wallet, lamports: 2n * SOL });
    node.produce();
    expect(await arrived()).toEqual([['SOL', 2n * SOL]]);
  });

  test('its own share of a batch to many, each token by itself', async () => {
    const txId = await payBatch(node, [
      { mint: USDT, to: randomAddress(), units: 1n },
      { mint: USDT, to: wallet, units: 5n },
      { mint: USDC, to: wallet, units: 6n },
    ]);
    node.produce();
    const { transfers } = await read();
    expect(transfers.map(({ index, units }) => [index, units])).toEqual([
      [`USDT:${wallet}`, 5n],
      [`USDC:${wallet}`, 6n],
    ]);
    expect(new Set(transfers.map((transfer) => transfer.txId))).toEqual(new Set([txId]));
  });

  test('accounts that a versioned message takes from a lookup table', async () => {
    const table = randomAddress();
    const account = await associatedAccount(wallet, USDT.address);
    putLookupTable(node.ledger.svm, table, [account, wallet, USDT.address]);
    node.produce(2);
    await paySpl(node, { mint: USDT, to: wallet, units: 11n, lookupTable: table });
    paySol(node, { to: wallet, lamports: SOL, lookupTable: table });
    node.produce();
    expect(await arrived()).toEqual([
      ['USDT', 11n],
      ['SOL', SOL],
    ]);
  });

  test('more units than a JSON number can hold', async () => {
    await paySpl(node, { mint: USDT, to: wallet, units: 2n ** 63n + 1n });
    node.produce();
    expect(await arrived()).toEqual([['USDT', 2n ** 63n + 1n]]);
  });

  test('the sender, although somebody else paid the fee', async () => {
    const sender = randomAddress();
    const held = randomAddress();
    const destination = await associatedAccount(wallet, USDT.address);
    putToken(node.ledger.svm, held, { mint: USDT.address, owner: sender, units: 70n });
    putToken(node.ledger.svm, destination, { mint: USDT.address, owner: wallet, units: 0n });
    const moved = { source: held, destination, authority: sender, mint: USDT.address, units: 70n, decimals: 6 };
    send(node, [transferToken(moved)]);
    node.produce();
    expect((await read()).transfers).toMatchObject([{ from: sender, units: 70n }]);
  });
});

describe('what is not credited', () => {
  test('a failed transaction, although it is listed', async () => {
    await payFailing(node, { mint: USDT, to: wallet, units: 50n });
    node.produce();
    node.resetCounts();
    expect(await arrived()).toEqual([]);
    // The list says that the transaction failed, so a flood of such ones is not even fetched.
    expect(node.counts().calls['getTransaction']).toBeUndefined();
  });

  test('a token of the newer program, and one that only looks like ours', async () => {
    await paySpl(node, { mint: NEWER, to: wallet, units: 4n });
    await paySpl(node, { mint: LOOKALIKE, to: wallet, units: 4n });
    node.produce();
    expect(await arrived()).toEqual([]);
  });

  test('wrapped coins, and coins that come out of the own wrapping', async () => {
    const wrapped = await associatedAccount(wallet, WRAPPED_SOL);
    const mint = { address: WRAPPED_SOL, decimals: 9 };
    const payer = randomAddress();
    const theirs = await associatedAccount(payer, WRAPPED_SOL);
    putWrapped(node.ledger.svm, theirs, { mint: WRAPPED_SOL, owner: payer, units: SOL });
    await paySpl(node, { mint, to: wallet, units: SOL, from: payer });
    node.produce();
    expect(await arrived()).toEqual([]);
    send(node, [closeToken(wrapped, wallet, wallet)], { from: wallet });
    node.produce();
    expect(await arrived()).toEqual([]);
  });

  test('a transfer from one account of the wallet to another', async () => {
    const aside = randomAddress();
    const destination = await associatedAccount(wallet, USDT.address);
    putToken(node.ledger.svm, aside, { mint: USDT.address, owner: wallet, units: 70n });
    putToken(node.ledger.svm, destination, { mint: USDT.address, owner: wallet, units: 0n });
    const moved = { source: aside, destination, authority: wallet, mint: USDT.address, units: 70n, decimals: 6 };
    send(node, [transferToken(moved)]);
    paySol(node, { to: wallet, lamports: 5n, from: wallet });
    node.produce();
    expect(await arrived()).toEqual([]);
  });

  test('what the wallet pays to others', async () => {
    await paySpl(node, { mint: USDT, to: randomAddress(), units: 5n, from: wallet });
    node.produce();
    expect(await arrived()).toEqual([]);
  });
});

describe('references', () => {
  test.each(['legacy', 0] as const)('are read beside the payment (message %s)', async (version) => {
    const reference = randomAddress();
    await paySpl(node, { mint: USDT, to: wallet, units: 5n, references: [reference], version, memo: 'x' });
    node.produce();
    expect((await read()).transfers[0]?.references).toEqual([reference]);
  });

  test('are read beside coins too, at most eight', async () => {
    const references = Array.from({ length: 10 }, () => randomAddress());
    paySol(node, { to: wallet, lamports: SOL, references: references.slice(0, 2) });
    paySol(node, { to: wallet, lamports: SOL, references });
    node.produce();
    const { transfers } = await read();
    expect(transfers[0]?.references.toSorted()).toEqual(references.slice(0, 2).toSorted());
    expect(transfers[1]?.references).toHaveLength(8);
  });
});

describe('slots', () => {
  test('heads carry slot and time of both commitments', async () => {
    const block = node.produce();
    const final = blockAtOrBelow(node.ledger, block.slot - node.ledger.finalityLag);
    expect(await source.heads('first')).toEqual({
      confirmed: { height: block.slot, time: block.time },
      finalized: { height: final?.slot, time: final?.time },
    });
  });

  test('heads of which one comes from a node that is far behind are not believed', async () => {
    node.behave({ lagSlots: 40, staleShare: 0.5, splitBatches: true });
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const heads = source.heads('first');
      outcomes.push(
        await heads.then(
          ({ confirmed, finalized }) => (finalized.height <= confirmed.height ? 'in order' : 'out of order'),
          String,
        ),
      );
    }
    const refusal = 'SourceError: The final slot is ahead of the confirmed one.';
    expect(new Set(outcomes)).toEqual(new Set(['in order', refusal]));
  });

  test('skipped slots are no gaps', async () => {
    paySol(node, { to: wallet, lamports: SOL });
    node.produce();
    node.produce(5, { skip: true });
    paySol(node, { to: wallet, lamports: 2n * SOL });
    const { slot, time } = node.produce();
    const { transfers, end } = await read();
    expect(transfers.map(({ units }) => units)).toEqual([SOL, 2n * SOL]);
    expect(end).toEqual({ height: slot, time });
  });

  test('nothing is final before its time', async () => {
    paySol(node, { to: wallet, lamports: SOL });
    node.produce();
    expect((await read(start, 'confirmed')).transfers).toHaveLength(1);
    const { height, time } = start;
    while ((await source.heads('first')).finalized.height <= height) {
      expect((await read({ height: height - 40, time: time - 10 }, 'finalized')).transfers).toHaveLength(0);
      node.produce();
    }
    expect((await read(start, 'finalized')).transfers).toHaveLength(1);
  });

  test('a fork takes a payment away; one that is put in again keeps its identity in another slot', async () => {
    const txId = await paySpl(node, { mint: USDT, to: wallet, units: 8n });
    const { slot } = node.produce();
    expect((await read()).transfers).toMatchObject([{ txId, index: `USDT:${wallet}`, height: slot }]);
    node.drop(1, 'reinclude');
    const again = node.produce(2);
    expect((await read()).transfers).toMatchObject([{ txId, index: `USDT:${wallet}`, height: again.slot - 1 }]);
    node.drop(2);
    node.produce(3);
    expect((await read()).transfers).toEqual([]);
  });

  test('a time that the node does not know is that of the block below', async () => {
    const before = node.produce(1);
    paySol(node, { to: wallet, lamports: SOL });
    const { slot } = node.produce();
    node.produce(10);
    node.behave({ untimed: new Set([slot]) });
    expect((await read()).transfers).toMatchObject([{ height: slot, blockTime: before.time }]);
  });

  test('without any time a payment is not shown at all, rather than at a wrong one', async () => {
    paySol(node, { to: wallet, lamports: SOL });
    const { slot } = node.produce();
    node.behave({ untimed: new Set(Array.from({ length: 2_000 }, (_unused, back) => slot - back)) });
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a node that is behind never looks empty', () => {
  beforeEach(() => {
    paySol(node, { to: wallet, lamports: SOL });
    node.produce();
  });

  test('a backend behind the context slot refuses', async () => {
    const heads = await source.heads('first');
    const request = { account: wallet, after: start, upTo: heads.confirmed, commitment: 'confirmed', pass: 'first' };
    node.behave({ lagSlots: 2 });
    await expect(source.readAccount({ ...request, commitment: 'confirmed', pass: 'first' })).rejects.toMatchObject({
      kind: 'not-yet',
    });
  });

  test('a backend that ignores the context slot is found to be behind', async () => {
    node.behave({ ignoresMinContextSlot: true });
    const { confirmed } = await source.heads('first');
    node.behave({ lagSlots: 2 });
    await expect(
      source.readAccount({ account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' }),
    ).rejects.toMatchObject({ kind: 'not-yet', message: expect.stringContaining('behind') });
  });

  test('one of two backends at one address is behind: in any number of reads the payment is shown or nothing is', async () => {
    const { confirmed } = await source.heads('first');
    node.behave({ lagSlots: 2, staleShare: 0.2, splitBatches: true });
    const request = { account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' } as const;
    const counts: (number | string)[] = [];
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const reading = createSolanaSource(network, [node.url]).readAccount(request);
      // A transaction that one backend lists and another does not answer yet counts as unreadable.
      counts.push(await reading.then(({ transfers, unreadable }) => transfers.length + unreadable.length, String));
    }
    const refusals = counts.filter((count) => typeof count === 'string');
    expect(refusals.every((text) => text.startsWith('SourceError'))).toBe(true);
    expect(refusals.length).toBeGreaterThan(0);
    expect(new Set(counts.filter((count) => typeof count === 'number'))).toEqual(new Set([1]));
  });

  test('the second provider answers in its place', async () => {
    const late = await node.openDoor({ lagSlots: 5 });
    const both = createSolanaSource(network, [late.url, node.url]);
    const { confirmed } = await source.heads('first');
    const shown = await both.readAccount({
      account: wallet,
      after: start,
      upTo: confirmed,
      commitment: 'confirmed',
      pass: 'first',
    });
    expect(shown.transfers).toHaveLength(1);
    expect(shown.by).toBe(both.providers[1]);
  });

  test('a node that has not indexed its newest block refuses, though it knows the block', async () => {
    node.behave({ indexLagSlots: 5 });
    await expect(read()).rejects.toMatchObject({ kind: 'not-yet', message: expect.stringContaining('-32014') });
    node.produce(6);
    node.behave({ indexLagSlots: 0 });
    expect((await read()).transfers).toMatchObject([{ units: SOL }]);
  });

  test('one of two backends at one address has not indexed its newest block: in any number of reads the payment is shown or nothing is', async () => {
    const { confirmed } = await source.heads('first');
    const request = { account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' } as const;
    const door = await node.openDoor();
    const counts: (number | string)[] = [];
    for (let attempt = 0; attempt < 20; attempt += 1) {
      door.behave({ indexLagSlots: attempt % 2 === 0 ? 3 : 0 });
      const reading = createSolanaSource(network, [door.url]).readAccount(request);
      counts.push(await reading.then(({ transfers }) => transfers.length, String));
    }
    expect(new Set(counts.filter((count) => typeof count === 'number'))).toEqual(new Set([1]));
  });

  test('a range end without a block is proved by the block below it', async () => {
    const gone = node.produce();
    node.drop(1);
    node.produce(40);
    const upTo = { height: gone.slot, time: gone.time };
    const request = { account: wallet, after: start, upTo, commitment: 'finalized', pass: 'first' } as const;
    const { transfers, end } = await source.readAccount(request);
    expect(transfers).toMatchObject([{ units: SOL }]);
    expect(end).toEqual(upTo);
  });

  test('a payment after the end of the range is shown, and read again', async () => {
    const { confirmed } = await source.heads('first');
    node.produce();
    paySol(node, { to: wallet, lamports: 2n * SOL });
    node.produce();
    const request = { account: wallet, after: start, upTo: confirmed, commitment: 'confirmed', pass: 'first' } as const;
    const { transfers, end } = await source.readAccount(request);
    expect(transfers.map(({ units }) => units)).toEqual([SOL, 2n * SOL]);
    expect(end).toEqual(confirmed);
    expect((await read(end)).transfers.map(({ units }) => units)).toContain(2n * SOL);
  });

  test('a node that has deleted what was asked for refuses', async () => {
    node.produce(20_000);
    node.behave({ firstAvailable: start.height + 100 });
    await expect(read()).rejects.toMatchObject({ kind: 'unsupported', message: expect.stringContaining('kept') });
    node.behave({ firstAvailable: firstSlotOf(node.ledger) });
    expect((await read()).transfers).toHaveLength(1);
  });

  test('a node whose long-term storage does not answer refuses', async () => {
    node.behave({ storageUnreachable: true });
    await expect(read()).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('-32019') });
  });
});

describe('many payments', () => {
  test('over a thousand signatures are read in bounded steps, each payment once and in order', async () => {
    const from = randomAddress();
    paySol(node, { to: wallet, lamports: SOL, from });
    for (let payment = 1; payment <= 1_200; payment += 1) {
      paySol(node, { to: wallet, lamports: BigInt(payment), from });
      if (payment % 90 === 0) node.produce();
    }
    node.produce();
    const { confirmed } = await source.heads('first');
    const found = new Map<string, bigint>();
    let after = start;
    let most = 0;
    while (after.height < confirmed.height) {
      node.resetCounts();
      const { transfers, end } = await source.readAccount({
        account: wallet,
        after,
        upTo: confirmed,
        commitment: 'confirmed',
        pass: 'first',
      });
      expect(end.height).toBeGreaterThan(after.height);
      expect(end.time).toBe(blockAtOrBelow(node.ledger, end.height)?.time);
      for (const { txId, units } of transfers) found.set(txId, units);
      most = Math.max(most, node.counts().calls['getTransaction'] ?? 0);
      after = end;
    }
    expect(found.size).toBe(1_201);
    expect([...found.values()].slice(1)).toEqual(Array.from({ length: 1_200 }, (_unused, index) => BigInt(index + 1)));
    expect(most).toBeLessThan(MAX_TRANSACTIONS_PER_READ + 90);
  });

  test('more of one slot than a read takes are read whole', async () => {
    const from = randomAddress();
    paySol(node, { to: wallet, lamports: SOL, from });
    for (let payment = 1; payment <= 250; payment += 1) paySol(node, { to: wallet, lamports: BigInt(payment), from });
    const { slot } = node.produce();
    const { transfers, end } = await read();
    expect(transfers).toHaveLength(251);
    expect(end.height).toBe(slot);
  });

  test('an idle read is four calls in one request, and what was fetched is not fetched again', async () => {
    paySol(node, { to: wallet, lamports: SOL });
    node.produce();
    const { end } = await read();
    node.produce();
    const { confirmed } = await source.heads('first');
    node.resetCounts();
    const again = await source.readAccount({
      account: wallet,
      after: end,
      upTo: confirmed,
      commitment: 'confirmed',
      pass: 'first',
    });
    expect(again.transfers).toHaveLength(1);
    expect(node.counts()).toEqual({ requests: 1, calls: { getBlock: 1, getSignaturesForAddress: 3 } });
  });
});

describe('fingerprints', () => {
  test('differ when coins or tokens came, also at an account that was not there, and are few calls for many', async () => {
    const others = Array.from({ length: 99 }, () => randomAddress());
    const seen = [];
    node.resetCounts();
    seen.push(await source.fingerprints([wallet, ...others]));
    expect(node.counts().calls['getMultipleAccounts']).toBe(3);
    paySol(node, { to: wallet, lamports: SOL });
    seen.push(await source.fingerprints([wallet, ...others]));
    await paySpl(node, { mint: USDC, to: wallet, units: 1n });
    seen.push(await source.fingerprints([wallet, ...others]));
    await paySpl(node, { mint: USDC, to: wallet, units: 1n });
    seen.push(await source.fingerprints([wallet, ...others]));
    expect(new Set(seen.map((one) => one.get(wallet))).size).toBe(4);
    expect(new Set(seen.flatMap((one) => others.map((other) => one.get(other)))).size).toBe(1);
  });
});

describe('a provider that does not answer', () => {
  test.each([
    ['busy', 'rate'],
    ['html', 'unavailable'],
    ['foreign-json', 'unavailable'],
  ] as const)('%s is an error to try again', async (fault, kind) => {
    node.behave({ fault });
    await expect(source.heads('first')).rejects.toMatchObject({ name: 'SourceError', kind });
  });

  test('one that hangs is given up', async () => {
    node.behave({ fault: 'hang' });
    const hasty = createSolanaSource(network, [node.url], 200);
    await expect(hasty.heads('first')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('none at all', async () => {
    await expect(createSolanaSource(network, []).heads('first')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a provider is proved', () => {
  test('with the chain and the tokens of our list', async () => {
    await expect(source.verify()).resolves.toBeUndefined();
  });

  test('not with another chain', async () => {
    const devnet = await startSolanaNode();
    devnet.behave({ genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' });
    const other = createSolanaSource(network, [devnet.url]);
    await expect(other.verify()).rejects.toThrow('serves chain EtWTRABZ');
    await expect(other.heads('first')).rejects.toThrow('serves chain');
    await devnet.stop();
  });

  test.each([
    [{ decimals: 9 }, 'USDT on SOL has 9 decimals, not 6'],
    [{ decimals: 6, program: TOKEN_2022_PROGRAM }, 'USDT on SOL is no mint of the token program'],
  ])('not with a mint that has %j', async (mint, message) => {
    const other = await startSolanaNode();
    putMint(other.ledger.svm, USDT.address, mint);
    await expect(createSolanaSource(network, [other.url]).verify()).rejects.toThrow(message);
    await other.stop();
  });
});
