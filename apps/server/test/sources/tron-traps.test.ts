import { tronToHex } from '@counterfoil/core/tron-address.ts';
import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { payInternally, payRevertingNative } from '../../rig/chains/evm/payment.ts';
import type { LookAlike } from '../../rig/chains/tron/block.ts';
import type { TronFault, TronNode } from '../../rig/chains/tron/node.ts';
import { TRON_DEFAULTS } from '../../rig/chains/tron/node.ts';
import { poseAsCoin } from '../../rig/chains/tron/payment.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { endOf, eventsOf, lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { auditPayments } from '../../rig/chains/audit-payments.ts';
import { rigOf, startTronChain } from '../../rig/chains/tron/tron-rig.ts';
import type { Open, ChainFixture } from '../../rig/chains/chain-fixture.ts';
import {
  addAddress,
  closeChainFixture,
  coveredOf,
  followToEnd,
  goTo,
  mineNow,
  openQuote,
  openChainFixture,
  pay,
  settle,
} from '../../rig/chains/chain-fixture.ts';

/** Behaviour that only Tron shows, through the whole engine. */

let fixture: ChainFixture;
let node: TronNode;
let disagreementsBefore: number;
beforeAll(async () => {
  fixture = await openChainFixture(inject('template'), async (startSeconds) => {
    node = await startTronChain(startSeconds);
    return rigOf(node);
  });
});
afterAll(() => closeChainFixture(fixture));
beforeEach(() => {
  node.behave(TRON_DEFAULTS);
  disagreementsBefore = fixture.reader.counts.disagreements;
});

/** Disagreements that were counted since the test began. */
const newDisagreements = () => fixture.reader.counts.disagreements - disagreementsBefore;
const evmAddress = ({ quote }: Open) => tronToHex(quote.toAddress) as Address;
const status = (transId: string) => statusOf(fixture.engine, fixture.store, transId);

/** Goes past the end of an invoice, with everything covered. */
async function end(transId: string): Promise<void> {
  goTo(fixture, (await endOf(fixture.engine, transId)) + 1);
  await settle(fixture);
  await expire(fixture.engine);
}

describe('what is no coin never pays', () => {
  test.each<LookAlike>(['TransferAssetContract', 'VoteWitnessContract', 'FreezeBalanceContract'])(
    '%s of the exact amount',
    async (kind) => {
      const open = await openQuote(fixture, 'TRX');
      const hash = await poseAsCoin(node.anvil, kind, { to: evmAddress(open), units: open.units });
      await settle(fixture);
      expect(await status(open.transId)).toBe('waiting');
      expect(await transfersOf(fixture.engine, hash.slice(2))).toEqual([]);
      await end(open.transId);
      expect(await eventsOf(fixture.engine, open.transId)).toMatchObject([{ event: 'invoice.expired' }]);
    },
  );

  test('a transfer of coins that failed', async () => {
    const open = await openQuote(fixture, 'TRX');
    await mineNow(fixture);
    const atTime = secondsNow(fixture.engine);
    const hash = await payRevertingNative(node.anvil, { to: evmAddress(open), units: open.units }, { atTime });
    goTo(fixture, atTime + 1);
    await settle(fixture);
    expect(await transfersOf(fixture.engine, hash.slice(2))).toEqual([]);
    await end(open.transId);
    expect(await status(open.transId)).toBe('expired');
  });

  test('coins that a contract passes on: they are not seen, and the checkout must say so', async () => {
    const open = await openQuote(fixture, 'TRX');
    const hash = await payInternally(node.anvil, { to: evmAddress(open), units: open.units });
    await settle(fixture);
    expect(await transfersOf(fixture.engine, hash.slice(2))).toEqual([]);
    expect(await status(open.transId)).toBe('waiting');
    await end(open.transId);
  });
});

describe('the two reads', () => {
  test('a coin is found by the second read alone: that is no disagreement, and raises no alarm', async () => {
    const open = await openQuote(fixture, 'TRX');
    const txId = await pay(fixture, open);
    await mineNow(fixture, 10);
    await followToEnd(fixture);
    expect(await transfersOf(fixture.engine, txId)).toEqual([]);
    await settle(fixture);
    expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: txId,
      from_address: expect.stringMatching(/^T/),
    });
    expect(open.quote.toAddress).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    expect(newDisagreements()).toBe(0);
  });

  test('a token that the node has no index for is found by the second read: that is a disagreement', async () => {
    const open = await openQuote(fixture);
    const txId = await pay(fixture, open);
    const height = await mineNow(fixture);
    node.behave({ unindexed: { from: height, to: height } });
    await mineNow(fixture, 5);
    await followToEnd(fixture);
    expect(await status(open.transId)).toBe('waiting');
    await settle(fixture);
    expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: txId,
    });
    expect(newDisagreements()).toBe(1);
  });

  test('what a solidified view lacks and JSON-RPC saw is decided by its receipt', async () => {
    const open = await openQuote(fixture);
    await pay(fixture, open);
    await mineNow(fixture, 5);
    await followToEnd(fixture);
    const before = await coveredOf(fixture);
    node.behave({
      wallet: (path, answer) =>
        path.endsWith('infobyblocknum')
          ? (answer as { log?: unknown }[]).map(({ log: _gone, ...info }) => info)
          : answer,
    });
    await mineNow(fixture, 30);
    await followToEnd(fixture);
    expect(await status(open.transId)).toBe('completed');
    expect(await coveredOf(fixture)).toBeGreaterThan(before);
    node.behave({ wallet: null });
  });

  test('a solidified view that is behind JSON-RPC delays expiry, and only that', async () => {
    const open = await openQuote(fixture, 'TRX');
    goTo(fixture, (await endOf(fixture.engine, open.transId)) + 1);
    const behind = (await coveredOf(fixture)) + 1;
    type Blocks = { block?: { block_header: { raw_data: { number: number } } }[] };
    node.behave({
      wallet: (path, answer) => {
        if (!path.endsWith('limitnext')) return answer;
        return { block: (answer as Blocks).block?.filter((one) => one.block_header.raw_data.number <= behind) };
      },
    });
    const before = await standingOf(fixture.engine, 'TRC20');
    await settle(fixture);
    await expire(fixture.engine);
    expect((await standingOf(fixture.engine, 'TRC20')).height).toBeGreaterThan(before.height);
    expect(await status(open.transId)).toBe('waiting');
    node.behave({ wallet: null });
    await followToEnd(fixture);
    await expire(fixture.engine);
    expect(await status(open.transId)).toBe('expired');
  });
});

test.each<TronFault>(['limiter', 429, 'html', 'reset'])(
  '%s moves nothing, and reading goes on afterwards',
  async (fault) => {
    await settle(fixture);
    const before = await standingOf(fixture.engine, 'TRC20');
    await mineNow(fixture, 5);
    node.behave({ fault });
    expect(await fixture.reader.step()).toBe('idle');
    expect(await standingOf(fixture.engine, 'TRC20')).toEqual(before);
    node.behave({ fault: null });
    // A provider that answered "too many requests" is not asked again for a while.
    fixture.engine.clock.advance(2_000);
    await followToEnd(fixture);
    expect((await standingOf(fixture.engine, 'TRC20')).height).toBe(before.height + 5);
  },
);

test('a refused range is read in smaller pieces', async () => {
  node.behave({ maxBlockRange: 2 });
  await settle(fixture);
  expect(await coveredOf(fixture)).toBeGreaterThan(0);
  const { height } = await standingOf(fixture.engine, 'TRC20');
  node.behave({ maxBlockRange: 5_000 });
  await settle(fixture);
  expect((await standingOf(fixture.engine, 'TRC20')).height).toBeGreaterThan(height);
});

test('an address that is added while blocks wait for their second read is watched in it', async () => {
  await settle(fixture);
  await addAddress(fixture);
  const open = await openQuote(fixture, 'TRX');
  const txId = await pay(fixture, open);
  await settle(fixture);
  expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: txId,
  });
});

test('coins paid while their amount was still in quarantine are found, though the cursor is past its end by the second read', async () => {
  const open = await openQuote(fixture, 'TRX');
  await end(open.transId);
  const paidAt = secondsNow(fixture.engine);
  const txId = await pay(fixture, open);
  await mineNow(fixture);
  await fixture.engine.database.pool.query(`update amount_slots set held_until = $1 where token = 'TRX'`, [
    new Date((paidAt + 10) * 1000),
  ]);
  await settle(fixture);
  expect(await transfersOf(fixture.engine, txId)).toMatchObject([{ index: 'native', canonical: true, reason: 'late' }]);
});

test('chain status shows the network like any other', async () => {
  const rows = (await command(fixture.engine, 'chain status', {})) as Record<string, unknown>[];
  expect(rows).toMatchObject([
    { network: 'TRC20', frozen: false, covered: expect.stringMatching(/^finalized \d+ s old$/) },
  ]);
});

test('the chain itself agrees with the rows', async () => {
  await settle(fixture);
  await expire(fixture.engine);
  expect((await auditPayments(fixture)).faults).toEqual([]);
});

test('coins worth less than ten cents are counted and not recorded', async () => {
  const open = await openQuote(fixture, fixture.rig.coin);
  const before = fixture.reader.counts.dust;
  const dust = await pay(fixture, open, 1_000n - open.units);
  const paid = await pay(fixture, open);
  await settle(fixture);
  expect(await transfersOf(fixture.engine, dust)).toEqual([]);
  expect(await transfersOf(fixture.engine, paid)).toHaveLength(1);
  expect(await status(open.transId)).toBe('completed');
  expect([fixture.reader.counts.dust - before, newDisagreements()]).toEqual([1, 0]);
});
