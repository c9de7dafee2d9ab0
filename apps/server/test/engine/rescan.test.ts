import { openFollowers } from '../../src/commands/open-followers.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import type { Balancer } from '../../rig/chains/evm/balancer.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import { headerAt, mine, reorg } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { recheckInvoice } from '../../src/invoices/recheck-invoice.ts';
import type { ChainSource, Pass } from '../../src/sources/chain-source.ts';
import { rescanChain } from '../../src/chains/rescan-chain.ts';
import { chooseWitnesses } from '../../src/chains/witness.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  chainOf,
  CHAIN_IDS,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command, OPERATOR } from '../../rig/invoices/run-command.ts';
import { follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** A rescan requires two agreeing providers, or one on our chain that is asked twice. */

let engine: EngineFixture;
let store: TestStore;
let door: Balancer;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  store = await openPayableStore(engine);
  door = await startBalancer({ backends: [{ url: node().url }], seed: 7 });
  await settle(engine, 'BSC');
});
afterAll(async () => {
  await door.stop();
  await engine.close();
});

const node = () => chainOf(engine, 'BSC').anvil;
const both = () => [node().url, door.url];
const nameOf = (url: string) => new URL(url).host;
const recheck = (transId: string, urls: readonly string[], more: Record<string, string> = {}) =>
  command(engine, 'invoice recheck', { 'trans-id': transId, ...more }, urls);

type Missed = { transId: string; hash: string; height: number };

/** Opens an invoice that was paid in time, is final, and was missed by both reads. */
async function openMissed(token = 'USDT'): Promise<Missed> {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'BSC', token));
  await mineNow(engine, 'BSC');
  const { number: height } = await headerAt(node(), 'latest');
  await mineNow(engine, 'BSC', 30);
  const head = await headerAt(node(), 'finalized');
  const values = [head.number, new Date(head.timestamp * 1000)];
  await engine.database.pool.query(`update chains set height = $1, block_time = $2, hash = $3 where network = 'BSC'`, [
    ...values,
    head.hash,
  ]);
  await engine.database.pool.query(
    `update chain_coverage set height = $1, block_time = $2 where network = 'BSC'`,
    values,
  );
  return { transId, hash, height };
}

const isLiar = (pass: Pass) => typeof pass === 'object' && 'only' in pass && pass.only === nameOf(door.url);
const waiting = { status: 'waiting' };
const paidBy = (hash: string) => ({ status: 'completed', transaction_hash: hash });

describe('two providers', () => {
  test('one on another fork, with the same chain id, block 0 and contracts, is detected, and nothing it shows is recorded', async () => {
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId);
    const chainId = CHAIN_IDS['BSC'] ?? 0;
    const { timestamp } = await headerAt(node(), 0);
    const fork = await startAnvil({ chainId, slotsInAnEpoch: 8, timestamp });
    expect(await genesisOf(fork.url)).toBe(await genesisOf(node().url));
    await installCanonicalTokens(fork);
    await mine(fork, 1, { secondsBetween: 7 });
    await settle(engine, 'BSC');
    await mineNow(engine, 'BSC', 60);
    const head = (await headerAt(node(), 'latest')).number;
    await mine(fork, head - 50 - (await headerAt(fork, 'latest')).number, { secondsBetween: 1 });
    const to = quote.toAddress as `0x${string}`;
    const hash = await payToken(fork, { token: canonicalToken(chainId, 'USDT').address, to, units: unitsOf(quote) });
    await mine(fork, 1, { atTime: secondsNow(engine) - 20 });
    await mine(fork, 100, { secondsBetween: 1 });
    await follow(engine, 'BSC');
    for (const urls of [[node().url, fork.url], [fork.url, node().url], [fork.url]]) {
      await expect(recheck(transId, urls)).rejects.toThrow(`${nameOf(fork.url)} does not show our stored block`);
    }
    const trusting = { 'trust-provider': nameOf(fork.url) };
    await expect(recheck(transId, [node().url, fork.url], trusting)).rejects.toThrow('does not show our stored block');
    expect(await lookUp(engine, store, transId)).toMatchObject(waiting);
    expect(await transfersOf(engine, hash)).toEqual([]);
    await fork.stop();
  });

  test.each(['first', 'second'])(
    'a payment that only the %s shows in its logs is proven by its receipt',
    async (who) => {
      const { transId, hash } = await openMissed();
      door.behave({ lyingAnswers: 1 });
      const urls = who === 'first' ? both() : both().toReversed();
      expect(await recheck(transId, urls)).toMatchObject([{ found: 1, doubted: [] }]);
      door.behave({ lyingAnswers: 0 });
      expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
    },
  );

  test('coins that both show are found', async () => {
    const { transId, hash } = await openMissed('BNB');
    expect(await recheck(transId, both())).toMatchObject([{ found: 1 }]);
    expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
  });

  test.each(['first', 'second'])(
    'a transfer that the %s shows, receipt and all, and the other has no receipt of is reported, and not recorded',
    async (who) => {
      const { transId, height } = await openMissed();
      const quote = await select(engine, transId);
      const honest = followerOf(engine, 'BSC', who === 'second' ? both() : both().toReversed());
      const { hash: blockHash } = await headerAt(node(), height);
      const place = { txId: `0x${'f'.repeat(64)}`, height, blockHash };
      const to = quote.toAddress.toLowerCase();
      const phantom = { token: 'USDT', index: 'USDT:0', from: '0x01', to, units: unitsOf(quote), ...place };
      const { read, readBlocks, receipts } = honest.source;
      const lyingIn =
        (ask: ChainSource['read']): ChainSource['read'] =>
        async (request) => {
          const answer = await ask(request);
          return isLiar(request.pass) && request.from <= height && height <= request.to
            ? { ...answer, transfers: [...answer.transfers, phantom] }
            : answer;
        };
      const invented: ChainSource['receipts'] = async (txIds, pass) => {
        const known = await receipts(txIds, pass);
        const receipt = { ...place, succeeded: true, transfers: [phantom] };
        return known.map((one, index) => (isLiar(pass) && txIds[index] === phantom.txId ? receipt : one));
      };
      const follower = {
        ...honest,
        source: { ...honest.source, read: lyingIn(read), readBlocks: lyingIn(readBlocks), receipts: invented },
      };
      const witnesses = await chooseWitnesses(follower.source);
      const range = { from: height, to: height, native: false };
      expect(await rescanChain(follower, { ...range, witnesses, wait: unexpected })).toMatchObject({
        found: 1,
        doubted: [{ tx: phantom.txId, why: 'there is no receipt' }],
      });
      expect(await transfersOf(engine, phantom.txId)).toEqual([]);
    },
  );

  test('no other provider answers for the second: it is waited for, or the operator trusts the first, audited', async () => {
    const { transId, hash } = await openMissed();
    await door.down();
    await expect(recheck(transId, both())).rejects.toThrow(`Only ${nameOf(node().url)} answers`);
    expect(await lookUp(engine, store, transId)).toMatchObject(waiting);
    const trusted = nameOf(node().url);
    await expect(recheck(transId, both(), { 'trust-provider': 'elsewhere' })).rejects.toThrow('There is no provider');
    expect(await recheck(transId, both(), { 'trust-provider': trusted })).toMatchObject([{ found: 1 }]);
    await door.up();
    expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
    const { rows } = await engine.database.pool.query<{ details: { trusted?: string } }>(
      `select details from audit_entries where action = 'invoice.recheck' order by id desc limit 1`,
    );
    expect(rows[0]?.details).toMatchObject({ transId, trusted });
  });
});

async function unexpected(): Promise<void> {
  throw new Error('Two providers need not be apart in time.');
}

describe('one provider', () => {
  test('is asked two different questions, apart in time: what its log index lacks is found block by block', async () => {
    const { transId, hash } = await openMissed();
    const waits: number[] = [];
    const receipts = () => door.counts().calls['eth_getTransactionReceipt'] ?? 0;
    const before = receipts();
    door.behave({ lyingAnswers: 1 });
    const wait = async (ms: number) => void waits.push(ms);
    const genesisHash = (network: string) => chainOf(engine, network).genesisHash;
    const context = {
      networks: NETWORKS,
      database: engine.as('admin'),
      clock: engine.clock,
      actor: OPERATOR,
      wait,
      genesisHash,
      chainUrls: () => [door.url],
    };
    const rechecked = await recheckInvoice({ ...context, ...openFollowers(context) }, OPERATOR, { transId });
    expect(rechecked).toMatchObject([{ found: 1 }]);
    expect(waits).toEqual([15_000]);
    expect(receipts()).toBeGreaterThan(before);
    expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
  });

  test('is not believed below every header that we hold, but two are, and one that the operator trusts', async () => {
    const old = await openMissed();
    const older = await openMissed();
    await follow(engine, 'BSC');
    const { rows } = await engine.database.pool.query(
      `delete from chain_blocks where network = 'BSC' and height <= $1 returning *`,
      [Math.max(old.height, older.height) + 5],
    );
    const rescan = (height: number, urls: string[], more = {}) => {
      const at = String(height);
      return command(engine, 'chain rescan', { network: 'BSC', from: at, to: at, reason: 'test', ...more }, urls);
    };
    await expect(rescan(old.height, [node().url])).rejects.toThrow('below every stored header');
    expect(await rescan(old.height, both())).toMatchObject({ rescanned: { found: 1 } });
    const trusting = { 'trust-provider': nameOf(node().url) };
    expect(await rescan(older.height, [node().url], trusting)).toMatchObject({ rescanned: { found: 1 } });
    expect(await lookUp(engine, store, old.transId)).toMatchObject(paidBy(old.hash));
    expect(await lookUp(engine, store, older.transId)).toMatchObject(paidBy(older.hash));
    expect(rows.length).toBeGreaterThan(0);
    await settle(engine, 'BSC');
  });
});

test('a range that a provider refuses is asked for in smaller pieces', async () => {
  const { transId, hash, height } = await openMissed();
  await settle(engine, 'BSC');
  door.behave({ logLimits: { blocks: 4, code: -32_602 } });
  const range = { network: 'BSC', from: String(height - 20), to: String(height + 20), reason: 'a hole' };
  expect(await command(engine, 'chain rescan', range, both())).toMatchObject({ rescanned: { found: 1 } });
  door.behave({ logLimits: null });
  expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
});

test('what was read before a reorg is not recorded after it', async () => {
  const { hash, height } = await openMissed();
  await settle(engine, 'BSC');
  const failpoint = async (name: string) => {
    if (name !== 'rescan:before-commit') return;
    await reorg(node(), 80);
    await mineNow(engine, 'BSC', 2);
    await follow(engine, 'BSC');
  };
  const follower = followerOf(engine, 'BSC', both(), { failpoint });
  const witnesses = await chooseWitnesses(follower.source);
  const range = { from: height, to: height, native: false, witnesses, wait: unexpected };
  await expect(rescanChain(follower, range)).rejects.toMatchObject({ code: 'NETWORK_REORGANISED' });
  expect(await transfersOf(engine, hash)).toEqual([]);
  await engine.database.pool.query(`update chains set frozen_at = null where network = 'BSC'`);
  await settle(engine, 'BSC');
});

test('every transfer that is seen is decided again, also one that is known and was never decided', async () => {
  const { transId, hash, height } = await openMissed();
  await engine.database.pool.query(`update chains set frozen_at = now() where network = 'BSC'`);
  expect(await recheck(transId, both())).toMatchObject([{ found: 1 }]);
  await engine.database.pool.query(`update chains set frozen_at = null where network = 'BSC'`);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  const before = await standingOf(engine, 'BSC');
  const at = String(height);
  const again = command(engine, 'chain rescan', { network: 'BSC', from: at, to: at, reason: 'stuck' }, both());
  expect(await again).toMatchObject({ rescanned: { found: 0 } });
  expect(await lookUp(engine, store, transId)).toMatchObject(paidBy(hash));
  expect(await standingOf(engine, 'BSC')).toEqual(before);
});
