import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainReceipt, ChainSource, Pass } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { raiseChainAlarm } from '../../src/chains/raise-chain-alarm.ts';
import { payByBatch } from '../chain/payment.ts';
import { canonicalToken } from '../chain/token.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  ageReads,
  alarmsOf,
  chainOf,
  command,
  endOf,
  expire,
  follow,
  followChain,
  followerOf,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  secondsNow,
  select,
  settle,
  standingOf,
  statusOf,
  transfersOf,
  unitsOf,
} from './shop.ts';

/** Presence is proven at once, absence needs age and another question; what only one question shows a receipt decides. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
  for (const network of ['BSC', 'ETH']) {
    await payByBatch(chainOf(shop, network).anvil, []);
    await settle(shop, network);
  }
});
afterAll(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(10_000);
  for (const network of ['BSC', 'ETH']) await settle(shop, network);
});

const VISITOR: Address = '0x00000000000000000000000000000000deadbeef';
const MINUTE_MS = 60_000;
const STEPS = 40;

type Lies = Partial<Pick<ChainSource, 'read' | 'readBlocks' | 'receipts' | 'heads'>>;

/** A reader whose node answers some questions otherwise than it should; `urls` is how many providers it has. */
function lyingReader(network: string, lie: (honest: ChainSource) => Lies, providers = 1): Follower {
  const { anvil } = chainOf(shop, network);
  const urls = Array.from({ length: providers }, () => anvil.url);
  const follower = followerOf(shop, network, urls);
  follower.source = { ...follower.source, ...lie(follower.source) };
  return follower;
}

const without = <Read extends { transfers: { txId: string }[] }>(read: Read, hash: string): Read => ({
  ...read,
  transfers: read.transfers.filter(({ txId }) => txId !== hash),
});

async function openQuote(network: string, amount = '50') {
  const transId = await newInvoice(shop, store, amount);
  return { transId, quote: await select(shop, transId, network) };
}

async function followSteps(follower: Follower, steps = STEPS): Promise<void> {
  for (let step = 0; step < steps; step += 1) await followChain(follower);
}

async function goPast(transId: string): Promise<void> {
  shop.clock.advance(((await endOf(shop, transId)) + 60 - secondsNow(shop)) * 1000);
}

describe('absence', () => {
  test('logs that are behind their own headers lose no payment where finality is fast', async () => {
    const { anvil } = chainOf(shop, 'BSC');
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
      await pay(shop, quote);
      await mineNow(shop, 'BSC');
      await followChain(follower);
    }
    await mineNow(shop, 'BSC', 30);
    await follow(shop, 'BSC', follower);
    for (const { transId } of open) await goPast(transId);
    await mineNow(shop, 'BSC', 30);
    await follow(shop, 'BSC', follower);
    await expire(shop);
    for (const { transId } of open) expect(await statusOf(shop, store, transId)).toBe('completed');
    expect(follower.counts.disagreements).toBeGreaterThan(0);
  });

  test('a log that ranges lack for ever is found block by block', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(shop, quote);
    const follower = lyingReader('BSC', (honest) => ({
      read: async (request) => without(await honest.read(request), hash),
    }));
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });

  test('a range is covered only when its first read is old enough, and an invoice waits so long', async () => {
    const { transId } = await openQuote('BSC');
    await goPast(transId);
    await mineNow(shop, 'BSC', 30);
    const before = await standingOf(shop, 'BSC');
    await followSteps(chainOf(shop, 'BSC').follower);
    await expire(shop);
    const read = await standingOf(shop, 'BSC');
    expect(read.height).toBeGreaterThan(before.height);
    expect(read.covered).toEqual(before.covered);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    await ageReads(shop.database, 'BSC');
    await followSteps(chainOf(shop, 'BSC').follower);
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('expired');
  });
});

describe('presence', () => {
  test('a payment completes as soon as it is settled, before anything around it is covered', async () => {
    const { transId, quote } = await openQuote('BSC');
    const before = await standingOf(shop, 'BSC');
    const hash = await pay(shop, quote);
    await mineNow(shop, 'BSC', 6);
    await followSteps(chainOf(shop, 'BSC').follower, 2);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect((await standingOf(shop, 'BSC')).covered).toEqual(before.covered);
    const { rows } = await shop.database.pool.query(
      'select read_how, proven_how, settled_tier, settled_hash = block_hash as stands from transfers where tx_id = $1',
      [hash],
    );
    expect(rows).toEqual([{ read_how: 'logs', proven_how: 'receipt', settled_tier: 'finalized', stands: true }]);
  });

  test('a larger sum never settles shallower than a smaller one, whatever a tag says', async () => {
    const small = await openQuote('ETH', '500');
    const large = await openQuote('ETH', '20000');
    // Everything is final at once, by this node's word.
    const follower = lyingReader('ETH', (honest) => ({
      heads: async (pass, tags) => {
        const heads = await honest.heads(pass, tags);
        return { ...heads, finalized: heads.latest, safe: heads.latest };
      },
    }));
    await pay(shop, small.quote);
    await pay(shop, large.quote);
    await mineNow(shop, 'ETH', 8);
    await followSteps(follower);
    expect(await statusOf(shop, store, large.transId)).toBe('processing');
    await mineNow(shop, 'ETH', 12);
    await followSteps(follower);
    expect(await statusOf(shop, store, small.transId)).toBe('completed');
    expect(await statusOf(shop, store, large.transId)).toBe('processing');
    await mineNow(shop, 'ETH', 50);
    await followSteps(follower);
    expect(await statusOf(shop, store, large.transId)).toBe('completed');
  });

  test('of two providers it is the other one whose receipt counts, at the depth that both call settled', async () => {
    const { transId, quote } = await openQuote('BSC');
    await pay(shop, quote);
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
    await mineNow(shop, 'BSC', 8);
    await followSteps(follower, 4);
    expect(await statusOf(shop, store, transId)).toBe('processing');
    known = true;
    shop.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(shop, store, transId)).toBe('processing');
    deep = true;
    shop.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });

  test('of two providers none alone says what is settled: neither is a payment covered, nor the lack of one', async () => {
    const paid = await openQuote('BSC');
    const unpaid = await openQuote('BSC');
    await pay(shop, paid.quote);
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
    await mineNow(shop, 'BSC', 8);
    await followSteps(follower, 2);
    await goPast(unpaid.transId);
    await mineNow(shop, 'BSC', 8);
    for (let minute = 0; minute < 3; minute += 1) {
      await followSteps(follower, 4);
      await ageReads(shop.database, 'BSC');
      shop.clock.advance(MINUTE_MS);
    }
    await expire(shop);
    expect(await statusOf(shop, store, paid.transId)).toBe('processing');
    expect(await statusOf(shop, store, unpaid.transId)).toBe('waiting');
    expect(await alarmsOf(shop, 'chain:BSC')).toContain('providers-disagree');
    deep = true;
    await followSteps(follower, 4);
    await expire(shop);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
  });

  test('a silent end that is believed after all is told of, also by the second read, and each time anew', async () => {
    const quiet = { first: true, second: true };
    const follower = lyingReader(
      'BSC',
      (honest) => ({
        read: async (request) => {
          const quietTail = typeof request.pass === 'object' ? quiet.second : quiet.first;
          return { ...(await honest.read(request)), quietTail };
        },
      }),
      2,
    );
    const told = async () => (await alarmsOf(shop, 'chain:BSC')).filter((kind) => kind === 'logs-quiet').length;
    const before = await told();
    await mineNow(shop, 'BSC', 8);
    await followSteps(follower, 4);
    expect(await told()).toBe(before + 1);
    await follow(shop, 'BSC', follower);
    expect(await told()).toBe(before + 2);
    for (const isQuiet of [false, true]) {
      quiet.first = isQuiet;
      await mineNow(shop, 'BSC', 8);
      await followSteps(follower, 4);
    }
    expect(await told()).toBe(before + 3);
  });

  test('an alarm that could not be written is told again', async () => {
    const follower = lyingReader('BSC', () => ({}));
    const raise = () => raiseChainAlarm(follower, 'transfer-doubted', {}, 'a transfer');
    const told = async () => (await alarmsOf(shop, 'chain:BSC')).filter((kind) => kind === 'transfer-doubted').length;
    const before = await told();
    await shop.database.pool.query('alter table alarms rename to alarms_away');
    await expect(raise()).rejects.toThrow('alarms');
    await shop.database.pool.query('alter table alarms_away rename to alarms');
    for (let times = 0; times < 2; times += 1) await raise();
    expect(await told()).toBe(before + 1);
  });

  test('a silence that another worker outlasted is none of ours: the minute begins anew with the lease', async () => {
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
    await pay(shop, first.quote);
    await mineNow(shop, 'BSC', 8);
    await followSteps(follower, 4);
    const lease = `update chains set lease_owner = $1, lease_until = now() + interval '1 minute' where network = 'BSC'`;
    await shop.database.pool.query(lease, ['another']);
    await followSteps(follower, 2);
    shop.clock.advance(2 * MINUTE_MS);
    await pay(shop, quote);
    await mineNow(shop, 'BSC', 8);
    await shop.database.pool.query(lease, [follower.owner]);
    await followSteps(follower, 2);
    await ageReads(shop.database, 'BSC');
    await followSteps(follower, 2);
    expect(await statusOf(shop, store, transId)).toBe('processing');
    silent = false;
    await followSteps(follower, 4);
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });

  test('an other provider that has been silent for a minute is done without: two questions, apart in time, and an alarm', async () => {
    const { transId, quote } = await openQuote('BSC');
    await pay(shop, quote);
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
    await mineNow(shop, 'BSC', 8);
    await followSteps(follower, 4);
    shop.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    // Its logs were read just now: the second question must come later.
    expect(await statusOf(shop, store, transId)).toBe('processing');
    await ageReads(shop.database, 'BSC');
    shop.clock.advance(MINUTE_MS);
    await followSteps(follower, 4);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect(await alarmsOf(shop, 'chain:BSC')).toContain('provider-silent');
  });
});

describe('one lacking log', () => {
  test.each(['BSC', 'ETH'])(
    'before ours in a transaction on %s: one row, its number put right, and no tier stops',
    async (network) => {
      const { transId, quote } = await openQuote(network);
      const other = await openQuote(network);
      const token = canonicalToken(network === 'BSC' ? 56 : 1, 'USDT').address;
      const hash = await payByBatch(chainOf(shop, network).anvil, [
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
      await mineNow(shop, network, 6);
      await followSteps(follower, 1);
      const [seen] = await transfersOf(shop, hash);
      lies = false;
      await mineNow(shop, network, 100);
      await follow(shop, network, follower);
      const rows = await transfersOf(shop, hash);
      expect(seen).toMatchObject({ trans_id: transId });
      expect(rows).toMatchObject([{ index: 'USDT:1', canonical: true, reason: null, trans_id: transId }]);
      expect(await statusOf(shop, store, transId)).toBe('completed');
      await expect(
        command(shop, 'inbox attach', { invoice: other.transId, network, tx: hash, index: 'USDT:1' }),
      ).rejects.toThrow('pays an invoice already');
      const { height, covered, frozen } = await standingOf(shop, network);
      expect(frozen).toBe(false);
      for (const reached of Object.values(covered)) expect(reached).toBeGreaterThan(height - 100);
    },
  );
});

/** Block by block it is never shown; `receipt` says what becomes of the receipt. */
function doubting(network: string, hash: string, receipt: (honest: ChainReceipt | null) => ChainReceipt | null) {
  return lyingReader(network, (honest) => ({
    readBlocks: async (request) => without(await honest.readBlocks(request), hash),
    receipts: async (txIds, pass) =>
      (await honest.receipts(txIds, pass)).map((one) => (one?.txId === hash ? receipt(one) : one)),
  }));
}

describe('a transfer that only the first read shows', () => {
  test('stays when its receipt shows it, and nothing stands still', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(shop, quote);
    const follower = doubting('BSC', hash, (one) => one);
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    const { height, covered } = await standingOf(shop, 'BSC');
    expect(covered['finalized']).toBeGreaterThan(height - 5);
  });

  test('goes when its receipt denies it for a minute, and its invoice waits again', async () => {
    const { transId, quote } = await openQuote('BSC');
    const hash = await pay(shop, quote);
    const follower = doubting('BSC', hash, (one) => one && { ...one, succeeded: false });
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    expect(await statusOf(shop, store, transId)).toBe('processing');
    shop.clock.advance(MINUTE_MS);
    await follow(shop, 'BSC', follower);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: false }]);
  });

  test('is doubted from the moment that it is denied: a doubt that it outlived does not count', async () => {
    const [paid, other] = [await openQuote('BSC'), await openQuote('BSC')];
    const [hash, missing] = [await pay(shop, paid.quote), await pay(shop, other.quote)];
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
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    // It is shown again; the other one, which is missing, keeps their range from being covered.
    denied = false;
    await followSteps(follower, 4);
    shop.clock.advance(2 * MINUTE_MS);
    await followSteps(follower, 4);
    [denied, isMissing] = [true, false];
    await followSteps(follower, 4);
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true }]);
    denied = false;
    await followSteps(follower, 4);
    for (const { transId } of [paid, other]) expect(await statusOf(shop, store, transId)).toBe('completed');
    expect((await standingOf(shop, 'BSC')).frozen).toBe(false);
  });

  test('is decided by nothing while its receipt is missing: coverage waits, a person is told, others are paid', async () => {
    const { transId, quote } = await openQuote('BSC');
    const other = await openQuote('BSC');
    const hash = await pay(shop, quote);
    let missing = true;
    const follower = doubting('BSC', hash, (one) => (missing ? null : one));
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    const { covered } = await standingOf(shop, 'BSC');
    shop.clock.advance(2 * MINUTE_MS);
    await pay(shop, other.quote);
    await mineNow(shop, 'BSC', 20);
    await follow(shop, 'BSC', follower);
    expect((await standingOf(shop, 'BSC')).covered).toEqual(covered);
    expect(await statusOf(shop, store, transId)).toBe('processing');
    expect(await statusOf(shop, store, other.transId)).toBe('completed');
    expect(await alarmsOf(shop, 'chain:BSC')).toContain('transfer-doubted');
    missing = false;
    shop.clock.advance(2 * MINUTE_MS);
    await follow(shop, 'BSC', follower);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect((await standingOf(shop, 'BSC')).covered['finalized']).toBeGreaterThan(covered['finalized'] ?? 0);
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
    await payByBatch(chainOf(shop, 'BSC').anvil, parts);
  }

  test('of one block is committed in pieces; a reader that dies between two leaves nothing that is not in the chain', async () => {
    const victim = await openQuote('BSC');
    const { quote } = await openQuote('BSC');
    await flood(quote.toAddress);
    await pay(shop, victim.quote);
    await mineNow(shop, 'BSC', 8);
    const dying = followerOf(shop, 'BSC', [chainOf(shop, 'BSC').anvil.url], {
      failpoint: (name) => {
        if (name === 'head:piece') throw new Error('It dies here.');
      },
    });
    await expect(followChain(dying)).rejects.toThrow('It dies here.');
    const { height } = await standingOf(shop, 'BSC');
    const above = async () => {
      const { rows } = await shop.database.pool.query<{ count: number }>(
        'select count(*)::integer from transfers where network = $1 and height > $2 and canonical',
        ['BSC', height],
      );
      return rows[0]?.count;
    };
    expect(await above()).toBe(1_000);
    await follow(shop, 'BSC');
    expect(await above()).toBe(FLOOD + 1);
    expect(await statusOf(shop, store, victim.transId)).toBe('completed');
    const { rows } = await shop.database.pool.query(
      'select from transfers where reason is null and invoice_id is null',
    );
    expect(rows).toHaveLength(0);
  });
});
