import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { HEAD, rangeOf } from '../../src/chains/block-range.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import type { Balancer } from '../../rig/chains/evm/balancer.ts';
import type { Fault } from '../../rig/chains/provider-faults.ts';
import { RETRY_AFTER_SECONDS } from '../../rig/chains/provider-faults.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { payByBatch, payNative, payTokens } from '../../rig/chains/evm/payment.ts';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken, installToken } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, VISITOR, TESTER } from '../../rig/stores/open-store.ts';
import type { FollowerChange, EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, eventsOf, lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { chainOf, followerOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { fillAmounts, newInvoice, pay, select, setPrices, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Providers lag, lie, limit, fail and disagree. None of that loses a payment, counts one twice or moves the cursor. */

let engine: EngineFixture;
let store: TestStore;
let balancer: Balancer;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  balancer = await startBalancer({ backends: [{ url: chainOf(engine, 'ETH').anvil.url }], seed: 7 });
  await payByBatch(chainOf(engine, 'ETH').anvil, []);
  engine.clock.advance(10_000);
});
afterAll(async () => {
  await balancer.stop();
  await engine.close();
});

const url = (network: string) => chainOf(engine, network).anvil.url;
const CLEAN = { splitBatches: false, fault: null, logLimits: null, lyingAnswers: 0 };
const MAX_TRIES = 300;
const START_RANGE = 50;

beforeEach(async () => {
  balancer.behave({ ...CLEAN, backends: [{ url: url('ETH') }] });
  await settle(engine, 'ETH');
});

/** A reader through the balancer, in small reads like a live one. */
function reader(parts: FollowerChange = {}): Follower {
  return followerOf(engine, 'ETH', [balancer.url], parts);
}

/** Follows until a tier covers a height, through a provider that often has nothing new. */
async function followTo(follower: Follower, height: number, tier = 'conf:12'): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await followChain(follower);
    await ageReads(engine.database, 'ETH');
    if (((await standingOf(engine, 'ETH')).covered[tier] ?? 0) >= height) return;
  }
  throw new Error(`ETH could not be followed to ${height}.`);
}

/** Follows until a height is read, even if a good provider times out repeatedly. */
async function followToHeight(follower: Follower, height: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    await follow(engine, 'ETH', follower);
    if ((await standingOf(engine, 'ETH')).height >= height) return;
  }
  throw new Error(`ETH could not be followed to ${height}.`);
}

async function openQuote() {
  const transId = await newInvoice(engine, store);
  const context = { networks: NETWORKS, database: engine.as('api'), clock: engine.clock };
  const selection = await selectPaymentMethod(context, VISITOR, { transId, network: 'ETH', token: 'USDT' });
  if (!selection.selected) throw new Error(selection.refusal);
  return { transId, quote: selection.quote };
}

const AT_ONCE = 20;

async function openQuotes(count: number) {
  await setPrices(engine);
  const open: Awaited<ReturnType<typeof openQuote>>[] = [];
  while (open.length < count) {
    const wanted = Math.min(AT_ONCE, count - open.length);
    open.push(...(await Promise.all(Array.from({ length: wanted }, openQuote))));
  }
  return open;
}

/** Number of these invoices that are completed, and of their events. */
async function countCompleted(transIds: readonly string[]): Promise<{ completed: number; events: number }> {
  const { rows } = await engine.database.pool.query<{ completed: number; events: number }>(
    `select count(*) filter (where status = 'completed')::integer as completed,
       sum((select count(*) from events e where e.invoice_id = i.id))::integer as events
     from invoices i where trans_id = any($1)`,
    [transIds],
  );
  return rows[0] ?? { completed: 0, events: 0 };
}

async function countTransfers(): Promise<number> {
  const { rows } = await engine.database.pool.query<{ count: number }>('select count(*)::integer from transfers');
  return rows[0]?.count ?? 0;
}

describe('backends that lag', () => {
  test.each([
    ['whole batches', false],
    ['batches split over backends', true],
  ])('200 payments through %s: none lost, none twice', async (_title, splitBatches) => {
    const open = await openQuotes(200);
    const before = await countTransfers();
    balancer.behave({
      splitBatches,
      backends: [
        { url: url('ETH'), share: 0.6 },
        { url: url('ETH'), lagBlocks: 3, share: 0.4 },
      ],
    });
    const follower = reader();
    const { address: token } = canonicalToken(1, 'USDT');
    for (let start = 0; start < open.length; start += 10) {
      const payments = open.slice(start, start + 10).map(({ quote }) => ({
        token,
        to: quote.toAddress as Address,
        units: unitsOf(quote),
      }));
      await payTokens(chainOf(engine, 'ETH').anvil, payments);
      await mineNow(engine, 'ETH');
      await followChain(follower);
    }
    const { number } = await headerAt(chainOf(engine, 'ETH').anvil, 'latest');
    await mineNow(engine, 'ETH', 30);
    await followTo(follower, number);
    expect(await countCompleted(open.map(({ transId }) => transId))).toEqual({ completed: 200, events: 200 });
    expect(await countTransfers()).toBe(before + 200);
    expect(follower.counts.rewinds).toBe(0);
    expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
  });
});

describe('two reads', () => {
  test('a transfer that the first read lacked is found by the second', async () => {
    const [open] = await openQuotes(1);
    if (!open) throw new Error('There is no quote.');
    const hash = await pay(engine, open.quote);
    balancer.behave({ lyingAnswers: 1 });
    const follower = reader();
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH', follower);
    expect(await transfersOf(engine, hash)).toEqual([]);
    await mineNow(engine, 'ETH', 30);
    await follow(engine, 'ETH', follower);
    expect(follower.counts.disagreements).toBe(1);
    expect(await lookUp(engine, store, open.transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });

  test.each([0, 1, 2])(
    'transfers that were numbered without the one before them get their own numbers (%i)',
    async (missing) => {
      const open = await openQuotes(3);
      const payments = open.map(({ quote }) => ({
        token: canonicalToken(1, 'USDT').address,
        to: quote.toAddress as Address,
        units: unitsOf(quote),
      }));
      const hash = await payByBatch(chainOf(engine, 'ETH').anvil, payments);
      // The first log of the answer is the mint of what the batch pays.
      const lie = { lyingAnswers: 1, missingLog: 1 + missing };
      const lying = await startBalancer({ backends: [{ url: url('ETH') }], seed: 1, ...lie });
      const follower = followerOf(engine, 'ETH', [lying.url]);
      await mineNow(engine, 'ETH', 3);
      await follow(engine, 'ETH', follower);
      const shown = open.toSpliced(missing, 1);
      expect(await transfersOf(engine, hash)).toMatchObject(
        shown.map(({ transId }, number) => ({ index: `USDT:${number}`, trans_id: transId })),
      );
      await mineNow(engine, 'ETH', 30);
      await follow(engine, 'ETH', follower);
      expect(await transfersOf(engine, hash)).toMatchObject(
        open.map(({ transId }, number) => ({ index: `USDT:${number}`, trans_id: transId, reason: null })),
      );
      for (const { transId } of open) expect(await eventsOf(engine, transId)).toHaveLength(1);
      await lying.stop();
    },
  );
});

describe('limits', () => {
  test('a refused range is read in smaller pieces, and grows again', async () => {
    const follower = reader();
    balancer.behave({ logLimits: { blocks: 5, code: -32_602 } });
    await mineNow(engine, 'ETH', 60);
    await follow(engine, 'ETH', follower);
    const limited = rangeOf(follower.memory.ranges, HEAD);
    expect(limited).toBeLessThan(START_RANGE);
    const { number } = await headerAt(chainOf(engine, 'ETH').anvil, 'finalized');
    expect((await standingOf(engine, 'ETH')).covered['finalized']).toBe(number);
    balancer.behave({ logLimits: null });
    await mineNow(engine, 'ETH', 60);
    await follow(engine, 'ETH', follower);
    expect(rangeOf(follower.memory.ranges, HEAD)).toBeGreaterThan(limited);
  });

  test('too many logs are asked for in halves', async () => {
    const open = await openQuotes(6);
    for (const { quote } of open) {
      await pay(engine, quote);
      await mineNow(engine, 'ETH');
    }
    balancer.behave({ logLimits: { logs: 2, code: -32_005 } });
    await mineNow(engine, 'ETH', 30);
    await follow(engine, 'ETH', reader());
    for (const { transId } of open) expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('a second provider with a smaller range than the first one covers all the same', async () => {
    balancer.behave({ logLimits: { blocks: 5, code: -32_602 } });
    const follower = followerOf(engine, 'ETH', [url('ETH'), balancer.url]);
    await mineNow(engine, 'ETH', 100);
    const { number } = await headerAt(chainOf(engine, 'ETH').anvil, 'finalized');
    await followTo(follower, number, 'finalized');
    expect((await standingOf(engine, 'ETH')).covered['finalized']).toBe(number);
  });
});

describe('providers that fail', () => {
  test.each<Fault>(['busy', 'html', 'foreign-json', 'error-each', 'error-whole', 'reset', 'hang'])(
    '%s moves nothing, and reading goes on afterwards',
    async (fault) => {
      // Only a hanging provider needs the short time-out, which may also end a good answer on a slow machine.
      const follower = reader(fault === 'hang' ? { timeoutMs: 500 } : {});
      await mineNow(engine, 'ETH', 5);
      await follow(engine, 'ETH', follower);
      // Another reader reads what a time limit left unread.
      await follow(engine, 'ETH');
      const before = await standingOf(engine, 'ETH');
      await mineNow(engine, 'ETH', 5);
      balancer.behave({ fault });
      expect(await followChain(follower)).toBe('idle');
      expect(await standingOf(engine, 'ETH')).toEqual(before);
      balancer.behave({ fault: null });
      // A provider that answered "too many requests" is not asked again for so long.
      engine.clock.advance(RETRY_AFTER_SECONDS * 1000);
      await followToHeight(follower, before.height + 5);
      expect((await standingOf(engine, 'ETH')).height).toBe(before.height + 5);
    },
  );

  test('a provider that hangs is passed over for one that answers', async () => {
    balancer.behave({ fault: 'hang' });
    const follower = followerOf(engine, 'ETH', [balancer.url, url('ETH')], { timeoutMs: 500 });
    const before = await standingOf(engine, 'ETH');
    await mineNow(engine, 'ETH', 3);
    await followToHeight(follower, before.height + 3);
    expect((await standingOf(engine, 'ETH')).height).toBe(before.height + 3);
  });

  test('a node of another chain, and one whose token has other decimals, are refused', async () => {
    const ethereum = findNetwork('ETH');
    if (!ethereum) throw new Error('ETH is unknown.');
    const other = await startAnvil({ chainId: 1 });
    await installToken(other, { ...canonicalToken(1, 'USDT'), decimals: 18 });
    await mine(other, 500);
    const local = { genesisHash: await genesisOf(other.url) };
    await expect(createEvmSource(ethereum, [url('BSC')]).verify()).rejects.toThrow('serves chain 56');
    await expect(createEvmSource(ethereum, [other.url], local).verify()).rejects.toThrow(
      'USDT on ETH has 18 decimals, not 6',
    );
    const { genesisHash } = chainOf(engine, 'ETH');
    await expect(createEvmSource(ethereum, [url('ETH')], { genesisHash }).verify()).resolves.toBeUndefined();

    const before = await standingOf(engine, 'ETH');
    await mineNow(engine, 'ETH', 3);
    for (const wrong of [url('BSC'), other.url]) {
      expect(await followChain(followerOf(engine, 'ETH', [wrong]))).toBe('idle');
      expect(await standingOf(engine, 'ETH')).toEqual(before);
    }
    await follow(engine, 'ETH', followerOf(engine, 'ETH', [url('BSC'), url('ETH')]));
    expect((await standingOf(engine, 'ETH')).height).toBe(before.height + 3);
    await other.stop();
  });
});

/** Runs `work` once, at the first commit of new blocks. */
function beforeCommit(work: () => Promise<unknown>): (name: string) => Promise<void> {
  let done = false;
  return async (name) => {
    if (done || name !== 'head:before-commit') return;
    done = true;
    await work();
  };
}

async function addAndPay(): Promise<{ own: TestStore; transId: string; hash: string }> {
  const own = await openStore(engine.database, { clock: engine.clock, wallet: false });
  await addWallet(engine, TESTER, { store: own.ref, network: 'ETH', address: nextAddress() });
  const transId = await newInvoice(engine, own);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await mineNow(engine, 'ETH');
  return { own, transId, hash };
}

describe('what changes between reading and committing', () => {
  test('a wallet that is added, selected and paid in a block that was read with the old set is found', async () => {
    const follower = reader();
    await mineNow(engine, 'ETH');
    await follow(engine, 'ETH', follower);
    const { own, transId, hash } = await addAndPay();
    await mineNow(engine, 'ETH', 2);
    await follow(engine, 'ETH', follower);
    expect(await statusOf(engine, own, transId)).toBe('processing');
    expect(await transfersOf(engine, hash)).toHaveLength(1);
  });

  test('a wallet that is added, selected and paid before the commit is found', async () => {
    let paid: Awaited<ReturnType<typeof addAndPay>> | undefined;
    const failpoint = beforeCommit(async () => {
      paid = await addAndPay();
    });
    const follower = reader({ failpoint });
    await mineNow(engine, 'ETH', 2);
    await follow(engine, 'ETH', follower);
    await mineNow(engine, 'ETH', 30);
    await follow(engine, 'ETH', follower);
    if (!paid) throw new Error('Nothing was paid.');
    expect(await lookUp(engine, paid.own, paid.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: paid.hash,
    });
  });

  test('coins that were paid in a block read without coins are found when their quote is opened before the commit', async () => {
    const own = await openPayableStore(engine);
    const { rows } = await engine.database.pool.query<{ address: Address }>(
      `select address from wallets where store_id = $1 and network = 'BSC'`,
      [own.id],
    );
    const to = rows[0]?.address ?? '0x';
    // Fifty dollars at 600 each; the only free amount is the one that is paid.
    const base = 8_333_334n;
    const units = base + 7n;
    await fillAmounts(engine, { network: 'BSC', token: 'BNB', toAddress: to }, { base, salts: 8_333, spare: [units] });
    await engine.database.pool.query(`update amount_slots set held_until = '-infinity' where token = 'BNB'`);
    const transId = await newInvoice(engine, own);
    await settle(engine, 'BSC');
    const hash = await payNative(chainOf(engine, 'BSC').anvil, { to, units: units * 10n ** 10n });
    await mineNow(engine, 'BSC', 6);
    const natives: boolean[] = [];
    const failpoint = beforeCommit(async () => {
      await engine.database.pool.query(`update amount_slots set held_until = 'infinity' where token = 'BNB'`);
      await select(engine, transId, 'BSC', 'BNB');
    });
    const follower = followerOf(engine, 'BSC', [url('BSC')], { failpoint });
    const { source } = follower;
    const read: typeof source.read = (request) => {
      natives.push(request.native);
      return source.read(request);
    };
    await followChain({ ...follower, source: { ...source, read } });
    expect(natives.slice(0, 2)).toEqual([false, true]);
    expect(await transfersOf(engine, hash)).toMatchObject([{ index: 'native', trans_id: transId, reason: null }]);
    await mineNow(engine, 'BSC', 30);
    await follow(engine, 'BSC', follower);
    expect(await lookUp(engine, own, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });
});

test('transactions of a kind whose coins nobody can read delay nothing, and raise one alarm', async () => {
  const honest = reader();
  const { source } = honest;
  const read: typeof source.read = async (request) => ({ ...(await source.read(request)), unknownShapes: 2 });
  const follower = { ...honest, source: { ...source, read } };
  const before = await standingOf(engine, 'ETH');
  for (let times = 0; times < 2; times += 1) {
    await mineNow(engine, 'ETH', 4);
    await follow(engine, 'ETH', follower);
  }
  expect((await standingOf(engine, 'ETH')).height).toBe(before.height + 8);
  const told = (await alarmsOf(engine, 'chain:ETH')).filter((kind) => kind === 'unknown-transactions');
  expect(told).toHaveLength(1);
});

test('two readers: one reads, the other waits; after a takeover the first finds its cursor moved, and nothing is twice', async () => {
  const [open] = await openQuotes(1);
  if (!open) throw new Error('There is no quote.');
  const before = await countTransfers();
  const second = reader({ owner: 'second' });
  await engine.database.pool.query(`update chains set lease_until = now() - interval '1 second'`);
  const first = reader({
    owner: 'first',
    failpoint: beforeCommit(async () => {
      expect(await followChain(second)).toBe('not-leased');
      await engine.database.pool.query(`update chains set lease_until = now() - interval '1 second'`);
      await follow(engine, 'ETH', second);
    }),
  });
  const hash = await pay(engine, open.quote);
  await mineNow(engine, 'ETH', 30);
  await followChain(first);
  const standing = await standingOf(engine, 'ETH');
  expect(await followChain(first)).toBe('not-leased');
  await follow(engine, 'ETH', second);
  expect(await standingOf(engine, 'ETH')).toEqual(standing);
  expect(await lookUp(engine, store, open.transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await eventsOf(engine, open.transId)).toHaveLength(1);
  expect(await countTransfers()).toBe(before + 1);
  await engine.database.pool.query('update chains set lease_owner = null');
});
