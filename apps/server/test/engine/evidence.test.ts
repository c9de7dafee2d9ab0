import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ChainReceipt, ChainSource, Pass } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { raiseChainAlarm } from '../../src/chains/raise-chain-alarm.ts';
import { payByBatch } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { otherAddressOf } from '../../rig/fakes/answering-provider.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, expire, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, endOf, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/**
 * A payment is proven immediately, absence needs age and another request; a receipt decides where only one request
 * shows a payment.
 */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  for (const network of ['BSC', 'ETH']) {
    await payByBatch(chainOf(engine, network).anvil, []);
    await settle(engine, network);
  }
});
afterAll(() => engine.close());
beforeEach(async () => {
  engine.clock.advance(10_000);
  for (const network of ['BSC', 'ETH']) await settle(engine, network);
});

const VISITOR: Address = '0x00000000000000000000000000000000deadbeef';
const MINUTE_MS = 60_000;
const STEPS = 40;

type Lies = Partial<Pick<ChainSource, 'read' | 'readBlocks' | 'receipts' | 'heads'>>;

/** A reader whose node answers some questions wrongly; `providers` is the number of its addresses. */
function lyingReader(network: string, lie: (honest: ChainSource) => Lies, providers = 1): Follower {
  const { anvil } = chainOf(engine, network);
  const urls = [anvil.url, otherAddressOf(anvil.url)].slice(0, providers);
  const follower = followerOf(engine, network, urls);
  return { ...follower, source: { ...follower.source, ...lie(follower.source) } };
}

const without = <Read extends { transfers: { txId: string }[] }>(read: Read, hash: string): Read => ({
  ...read,
  transfers: read.transfers.filter(({ txId }) => txId !== hash),
});

async function openQuote(network: string, amount = '50') {
  const transId = await newInvoice(engine, store, amount);
  return { transId, quote: await select(engine, transId, network) };
}

async function followSteps(follower: Follower, steps = STEPS): Promise<void> {
  for (let step = 0; step < steps; step += 1) await followChain(follower);
}

async function goPast(transId: string): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
}

describe('absence', () => {
  test('logs that are behind their own headers lose no payment where finality is fast', async () => {
    const { anvil } = chainOf(engine, 'BSC');
    const lag = 6;
    const follower = lyingReader('BSC', (honest) => ({
      read: async (request) => {
        const head = Number(await anvil.rpc<string>('eth_blockNumber'));
        const read = await honest.read(request);
        return { ...read, transfers: read.transfers.filter(({ height }) => height <= head - lag) };
      },
    }));
    const open = [];
    for (let count = 0; count < 12; count += 1) open.push(await openQuote('BSC'));
    for (const { quote } of open) {
      await pay(engine, quote);
      await mineNow(engine, 'BSC');
      await followChain(follower);
    }
    await mineNow(engine, 'BSC', 30);
    await follow(engine, 'BSC', follower);
    for (const { transId } of open) await goPast(transId);
    await mineNow(engine, 'BSC', 30);
    await follow(engine, 'BSC', follower);
    await expire(engine);
    for (const { transId } of open) expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(follower.counts.disagreements).toBeGreaterThan(0);
  });

  test('a log that ranges lack for ever is found block by block', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(engine, quote);
    const follower = lyingReader('BSC', (honest) => ({
      read: async (request) => without(await honest.read(request), hash),
    }));
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('a range is covered only when its first read is old enough, and an invoice waits that long', async () => {
    const { transId } = await openQuote('BSC');
    await goPast(transId);
    await mineNow(engine, 'BSC', 30);
    const before = await standingOf(engine, 'BSC');
    await followSteps(chainOf(engine, 'BSC').follower);
    await expire(engine);
    const read = await standingOf(engine, 'BSC');
    expect(read.height).toBeGreaterThan(before.height);
    expect(read.covered).toEqual(before.covered);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await ageReads(engine.database, 'BSC');
    await followSteps(chainOf(engine, 'BSC').follower);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });
});

describe('presence', () => {
  test('a payment completes as soon as it is settled, before anything around it is covered', async () => {
    const { transId, quote } = await openQuote('BSC');
    const before = await standingOf(engine, 'BSC');
    const hash = await pay(engine, quote);
    await mineNow(engine, 'BSC', 6);
    await followSteps(chainOf(engine, 'BSC').follower, 2);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect((await standingOf(engine, 'BSC')).covered).toEqual(before.covered);
    const { rows } = await engine.database.pool.query(
      'select read_how, proven_how, settled_tier, settled_hash = block_hash as stands from transfers where tx_id = $1',
      [hash],
    );
    expect(rows).toEqual([{ read_how: 'logs', proven_how: 'receipt', settled_tier: 'finalized', stands: true }]);
  });

  test('a larger sum never settles shallower than a smaller one, whatever a tag says', async () => {
    const small = await openQuote('ETH', '500');
    const large = await openQuote('ETH', '20000');
    // This node calls every block final immediately.
    const follower = lyingReader('ETH', (honest) => ({
      heads: async (pass, tags) => {
        const heads = await honest.heads(pass, tags);
        return { ...heads, finalized: heads.latest, safe: heads.latest };
      },
    }));
    await pay(engine, small.quote);
    await pay(engine, large.quote);
    await mineNow(engine, 'ETH', 8);
    await followSteps(follower);
    expect(await statusOf(engine, store, large.transId)).toBe('processing');
    await mineNow(engine, 'ETH', 12);
    await followSteps(follower);
    expect(await statusOf(engine, store, small.transId)).toBe('completed');
    expect(await statusOf(engine, store, large.transId)).toBe('processing');
    await mineNow(engine, 'ETH', 50);
    await followSteps(follower);
    expect(await statusOf(engine, store, large.transId)).toBe('completed');
  });

  test('of two providers it is the other one whose receipt counts, at the depth that both call settled', async () => {
    const { transId, quote } = await openQuote('BSC');
    await pay(engine, quote);
    let known = false;
    let deep = false;
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        receipts: async (txIds, pass) =>
          known || typeof pass !== 'object' ? honest.receipts(txIds, pass) : txIds.map(() => null),
        heads: async (pass, tags) => {
          const heads = await honest.heads(pass, tags);
          if (deep || typeof pass !== 'object') return heads;
          return { ...heads, finalized: { ...heads.finalized, height: heads.finalized.height - 30 } };
        },
      }),
      2,
    );
    await mineNow(engine, 'BSC', 8);
    await followSteps(follower, 4);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    known = true;
    engine.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    deep = true;
    engine.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('of two providers none alone says what is settled: neither is a payment covered, nor the lack of one', async () => {
    const paid = await openQuote('BSC');
    const unpaid = await openQuote('BSC');
    await pay(engine, paid.quote);
    let deep = false;
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        heads: async (pass, tags) => {
          const heads = await honest.heads(pass, tags);
          if (deep || typeof pass !== 'object') return heads;
          return { ...heads, finalized: { ...heads.finalized, height: heads.finalized.height - 40 } };
        },
      }),
      2,
    );
    await mineNow(engine, 'BSC', 8);
    await followSteps(follower, 2);
    await goPast(unpaid.transId);
    await mineNow(engine, 'BSC', 8);
    for (let minute = 0; minute < 3; minute += 1) {
      await followSteps(follower, 4);
      await ageReads(engine.database, 'BSC');
      engine.clock.advance(MINUTE_MS);
    }
    await expire(engine);
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('providers-disagree');
    deep = true;
    await followSteps(follower, 4);
    await expire(engine);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  });

  test('a silent end that is believed after all raises an alarm, also in the second read, and each time again', async () => {
    const quiet = { first: true, second: true };
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        read: async (request) => ({ ...(await honest.read(request)), quietTail: quiet.first }),
        readBlocks: async (request) => ({ ...(await honest.readBlocks(request)), quietTail: quiet.second }),
      }),
      2,
    );
    const told = async () => (await alarmsOf(engine, 'chain:BSC')).filter((kind) => kind === 'logs-quiet').length;
    const before = await told();
    await mineNow(engine, 'BSC', 8);
    await followSteps(follower, 4);
    expect(await told()).toBe(before + 1);
    await follow(engine, 'BSC', follower);
    expect(await told()).toBe(before + 2);
    for (const isQuiet of [false, true]) {
      quiet.first = isQuiet;
      await mineNow(engine, 'BSC', 8);
      await followSteps(follower, 4);
    }
    expect(await told()).toBe(before + 3);
  });

  test('an alarm that could not be written is raised again', async () => {
    const follower = lyingReader('BSC', () => ({}));
    const raise = () => raiseChainAlarm(follower, 'transfer-doubted', {}, 'a transfer');
    const told = async () => (await alarmsOf(engine, 'chain:BSC')).filter((kind) => kind === 'transfer-doubted').length;
    const before = await told();
    await engine.database.pool.query('alter table alarms rename to alarms_away');
    await expect(raise()).rejects.toThrow('alarms');
    await engine.database.pool.query('alter table alarms_away rename to alarms');
    for (let times = 0; times < 2; times += 1) await raise();
    expect(await told()).toBe(before + 1);
  });

  test('a silence that another worker outlasted does not count for ours: the minute starts again with the lease', async () => {
    const { transId, quote } = await openQuote('BSC');
    let silent = true;
    const requireAnswer = (pass: Pass) => {
      const isOther = typeof pass === 'object' && 'not' in pass;
      if (silent && isOther) throw new SourceError('unavailable', 'It is silent.');
    };
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        heads: async (pass, tags) => {
          requireAnswer(pass);
          return honest.heads(pass, tags);
        },
        read: async (request) => {
          requireAnswer(request.pass);
          return honest.read(request);
        },
      }),
      2,
    );
    const first = await openQuote('BSC');
    await pay(engine, first.quote);
    await mineNow(engine, 'BSC', 8);
    await followSteps(follower, 4);
    const lease = `update chains set lease_owner = $1, lease_until = now() + interval '1 minute' where network = 'BSC'`;
    await engine.database.pool.query(lease, ['another']);
    await followSteps(follower, 2);
    engine.clock.advance(2 * MINUTE_MS);
    await pay(engine, quote);
    await mineNow(engine, 'BSC', 8);
    await engine.database.pool.query(lease, [follower.owner]);
    await followSteps(follower, 2);
    await ageReads(engine.database, 'BSC');
    await followSteps(follower, 2);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    silent = false;
    await followSteps(follower, 4);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('another provider that has been silent for a minute is no longer waited for: two questions, apart in time, and an alarm', async () => {
    const { transId, quote } = await openQuote('BSC');
    await pay(engine, quote);
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        heads: async (pass, tags) => {
          if (typeof pass === 'object') throw new SourceError('unavailable', 'It is silent.');
          return honest.heads(pass, tags);
        },
      }),
      2,
    );
    await mineNow(engine, 'BSC', 8);
    await followSteps(follower, 4);
    engine.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    // The logs were read just now: the second question must come later.
    expect(await statusOf(engine, store, transId)).toBe('processing');
    await ageReads(engine.database, 'BSC');
    engine.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('provider-silent');
  });
});

describe('a missing log', () => {
  test.each(['BSC', 'ETH'])(
    'before ours in a transaction on %s: one row, its number corrected, and no tier stops',
    async (network) => {
      const { transId, quote } = await openQuote(network);
      const other = await openQuote(network);
      const token = canonicalToken(network === 'BSC' ? 56 : 1, 'USDT').address;
      const hash = await payByBatch(chainOf(engine, network).anvil, [
        { token, to: VISITOR, units: 5_000_000n },
        { token, to: quote.toAddress as Address, units: unitsOf(quote) },
      ]);
      let lies = true;
      const follower = lyingReader(network, (honest) => ({
        read: async (request) => {
          const read = await honest.read(request);
          if (!lies) return read;
          const transfers = read.transfers
            .filter(({ txId, index }) => txId !== hash || index !== 'USDT:0')
            .map((one) => (one.txId === hash ? Object.assign({}, one, { index: 'USDT:0' }) : one));
          return { ...read, transfers };
        },
      }));
      await mineNow(engine, network, 6);
      await followSteps(follower, 1);
      const [seen] = await transfersOf(engine, hash);
      lies = false;
      await mineNow(engine, network, 100);
      await follow(engine, network, follower);
      const rows = await transfersOf(engine, hash);
      expect(seen).toMatchObject({ trans_id: transId });
      expect(rows).toMatchObject([{ index: 'USDT:1', canonical: true, reason: null, trans_id: transId }]);
      expect(await statusOf(engine, store, transId)).toBe('completed');
      await expect(
        command(engine, 'inbox attach', { invoice: other.transId, network, tx: hash, index: 'USDT:1' }),
      ).rejects.toThrow('already pays an invoice');
      const { height, covered, frozen } = await standingOf(engine, network);
      expect(frozen).toBe(false);
      for (const reached of Object.values(covered)) expect(reached).toBeGreaterThan(height - 100);
    },
  );
});

/** A reader that never shows the transaction block by block; `receipt` changes its receipt. */
function doubting(network: string, hash: string, receipt: (honest: ChainReceipt | null) => ChainReceipt | null) {
  return lyingReader(network, (honest) => ({
    readBlocks: async (request) => without(await honest.readBlocks(request), hash),
    receipts: async (txIds, pass) =>
      (await honest.receipts(txIds, pass)).map((one) => (one?.txId === hash ? receipt(one) : one)),
  }));
}

describe('a transfer that only the first read shows', () => {
  test('stays when its receipt shows it, and coverage goes on', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(engine, quote);
    const follower = doubting('BSC', hash, (one) => one);
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    const { height, covered } = await standingOf(engine, 'BSC');
    expect(covered['finalized']).toBeGreaterThan(height - 5);
  });

  test('goes when its receipt denies it for a minute, and its invoice waits again', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(engine, quote);
    const follower = doubting('BSC', hash, (one) => one && { ...one, succeeded: false });
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    engine.clock.advance(MINUTE_MS);
    await follow(engine, 'BSC', follower);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: false }]);
  });

  test('is doubted from the moment that it is denied: a doubt that it outlived does not count', async () => {
    const [paid, other] = [await openQuote('BSC'), await openQuote('BSC')];
    const [hash, missing] = [await pay(engine, paid.quote), await pay(engine, other.quote)];
    let denied = true;
    let isMissing = true;
    const follower = lyingReader('BSC', (honest) => ({
      readBlocks: async (request) => {
        const read = await honest.readBlocks(request);
        const shown = denied ? without(read, hash) : read;
        return isMissing ? without(shown, missing) : shown;
      },
      receipts: async (txIds, pass) =>
        (await honest.receipts(txIds, pass)).map((one) => {
          if (one?.txId === missing && isMissing) return null;
          return one?.txId === hash && denied ? Object.assign({}, one, { succeeded: false }) : one;
        }),
    }));
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    // The payment is shown again; the other one, which is missing, keeps the range from being covered.
    denied = false;
    await followSteps(follower, 4);
    engine.clock.advance(2 * MINUTE_MS);
    await followSteps(follower, 4);
    [denied, isMissing] = [true, false];
    await followSteps(follower, 4);
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true }]);
    denied = false;
    await followSteps(follower, 4);
    for (const { transId } of [paid, other]) expect(await statusOf(engine, store, transId)).toBe('completed');
    expect((await standingOf(engine, 'BSC')).frozen).toBe(false);
  });

  test('is decided by nothing while its receipt is missing: coverage waits, an alarm is raised, other payments complete', async () => {
    const { transId, quote } = await openQuote('BSC');
    const other = await openQuote('BSC');
    const hash = await pay(engine, quote);
    let missing = true;
    const follower = doubting('BSC', hash, (one) => (missing ? null : one));
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    const { covered } = await standingOf(engine, 'BSC');
    engine.clock.advance(2 * MINUTE_MS);
    await pay(engine, other.quote);
    await mineNow(engine, 'BSC', 20);
    await follow(engine, 'BSC', follower);
    expect((await standingOf(engine, 'BSC')).covered).toEqual(covered);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('transfer-doubted');
    missing = false;
    engine.clock.advance(2 * MINUTE_MS);
    await follow(engine, 'BSC', follower);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeGreaterThan(covered['finalized'] ?? 0);
  });
});

const unitsAt = (place: number) => (50_004_000n + BigInt(place)) * 10n ** 12n + 1n;

describe('a flood', () => {
  const FLOOD = 1_100;

  async function flood(to: string): Promise<void> {
    const token = canonicalToken(56, 'USDT').address;
    const parts = Array.from({ length: FLOOD }, (_unused, place) => ({
      token,
      to: to as Address,
      units: unitsAt(place),
    }));
    await payByBatch(chainOf(engine, 'BSC').anvil, parts);
  }

  test('of one block is committed in pieces; a reader that dies between two leaves nothing that is not in the chain', async () => {
    const victim = await openQuote('BSC');
    const { quote } = await openQuote('BSC');
    await flood(quote.toAddress);
    await pay(engine, victim.quote);
    await mineNow(engine, 'BSC', 8);
    const dying = followerOf(engine, 'BSC', [chainOf(engine, 'BSC').anvil.url], {
      failpoint: (name) => {
        if (name === 'head:piece') throw new Error('It dies here.');
      },
    });
    await expect(followChain(dying)).rejects.toThrow('It dies here.');
    const { height } = await standingOf(engine, 'BSC');
    const above = async () => {
      const { rows } = await engine.database.pool.query<{ count: number }>(
        'select count(*)::integer from transfers where network = $1 and height > $2 and canonical',
        ['BSC', height],
      );
      return rows[0]?.count;
    };
    expect(await above()).toBe(1_000);
    await follow(engine, 'BSC');
    expect(await above()).toBe(FLOOD + 1);
    expect(await statusOf(engine, store, victim.transId)).toBe('completed');
    const { rows } = await engine.database.pool.query(
      'select from transfers where reason is null and invoice_id is null',
    );
    expect(rows).toHaveLength(0);
  });
});
