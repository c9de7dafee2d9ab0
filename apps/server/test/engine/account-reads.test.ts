import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { lockAccount } from '../../src/accounts/account-sql.ts';
import { idleAccount, takeDemands } from '../../src/accounts/account-schedule-sql.ts';
import type { SolanaDoor } from '../chain/solana-node.ts';
import type { TestStore } from '../harness.ts';
import { alarmsOf, eventsOf, expire, secondsNow, statusOf, transfersOf } from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  goPast,
  openQuote,
  openSolanaShop,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from './solana-shop.ts';

/** What is there settles at once; that something is not there takes two reads that differ in time or in their provider. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  shop = await openSolanaShop();
  doors.push(await shop.node.openDoor(), await shop.node.openDoor());
});
afterAll(() => shop.close());
beforeEach(async () => {
  shop.node.behave({ alpenglow: false, indexLagSlots: 0, versions: new Map() });
  for (const door of doors)
    door.behave({ alpenglow: false, lagSlots: 0, finalityLag: null, fault: null, indexLagSlots: 0 });
  store = await openSolanaStore(shop);
});

const SILENT_MS = 61_000;

const urls = () => doors.map(({ url }) => url);
const covered = async () => (await accountOf(shop, store.wallet)).covered;

describe('with one provider', () => {
  test('an account is not covered before its first read is old enough, and a payment does not wait for that', async () => {
    const paid = await openQuote(shop, store);
    const reader = createReader(shop);
    await follow(shop, reader);
    const before = await covered();
    await pay(shop, paid.quote);
    finalizeNow(shop);
    await follow(shop, reader);
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await covered()).toBe(before);
    await ageReads(shop);
    await follow(shop, reader);
    expect(await covered()).toBeGreaterThan(before);
    expect(await eventsOf(shop, paid.transId)).toHaveLength(1);
  });

  test('an account that is read at every poll is covered all the same, up to an end that has grown old', async () => {
    await openQuote(shop, store);
    const reader = createReader(shop);
    await follow(shop, reader);
    const before = await covered();
    for (let poll = 0; poll < 5; poll += 1) {
      finalizeNow(shop);
      await follow(shop, reader);
    }
    // Only the earlier end grows old: the cursor's is new after every poll.
    await shop.database.pool.query(
      `update followed_accounts set earlier_at = earlier_at - interval '1 minute' where account = $1`,
      [store.wallet],
    );
    const { height } = await accountOf(shop, store.wallet);
    finalizeNow(shop);
    await follow(shop, reader);
    expect(await covered()).toBeGreaterThan(before);
    expect(await covered()).toBeLessThan(height);
  });

  test('the age is counted by the database’s clock, and a pace makes it shorter', async () => {
    const unpaid = await openQuote(shop, store);
    const reader = createReader(shop, { secondReadAgeSeconds: 0.001 });
    await follow(shop, reader);
    await goPast(shop, unpaid.transId);
    finalizeNow(shop);
    for (let poll = 0; poll < 3; poll += 1) await follow(shop, reader);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
  });

  test('where what is confirmed is final, a payment completes at the poll that sees it, and two reads stay two', async () => {
    const paid = await openQuote(shop, store);
    const unpaid = await openQuote(shop, store);
    const reader = createReader(shop);
    shop.node.behave({ alpenglow: true });
    await follow(shop, reader);
    await pay(shop, paid.quote);
    produceNow(shop, 2);
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    await goPast(shop, unpaid.transId);
    produceNow(shop, 8);
    for (let poll = 0; poll < 3; poll += 1) {
      produceNow(shop, 8);
      await follow(shop, reader);
    }
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('waiting');
    await ageReads(shop);
    await follow(shop, reader);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
  });

  test('where what is confirmed is final and its list is written late, nobody who paid expires', async () => {
    shop.node.behave({ alpenglow: true, indexLagSlots: 20 });
    const open = [];
    for (let count = 0; count < 10; count += 1) open.push(await openQuote(shop, store));
    const reader = createReader(shop);
    for (const { quote } of open) {
      await pay(shop, quote);
      produceNow(shop, 8);
      await follow(shop, reader);
    }
    await goPast(shop, open.at(-1)?.transId ?? '');
    for (let poll = 0; poll < 6; poll += 1) {
      produceNow(shop, 8);
      await follow(shop, reader);
      await ageReads(shop);
      await expire(shop);
    }
    const statuses = await Promise.all(open.map(({ transId }) => statusOf(shop, store, transId)));
    expect(new Set(statuses)).toEqual(new Set(['completed']));
  });
});

describe('with two providers', () => {
  test('the other one covers at once what the first has read', async () => {
    const unpaid = await openQuote(shop, store);
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    await goPast(shop, unpaid.transId);
    finalizeNow(shop);
    for (let poll = 0; poll < 3; poll += 1) await follow(shop, reader);
    await expire(shop);
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
  });

  test('a payment settles by the word of the one that did not find it', async () => {
    const paid = await openQuote(shop, store);
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    const hash = await pay(shop, paid.quote);
    finalizeNow(shop);
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    const { rows } = await shop.database.pool.query('select read_by, proven_by from transfers where tx_id = $1', [
      hash,
    ]);
    expect(rows).toEqual([{ read_by: reader.source.providers[0], proven_by: reader.source.providers[1] }]);
  });

  test('a payment that the second one found settles by the word of the first, and not by its own', async () => {
    const paid = await openQuote(shop, store);
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    const hash = await pay(shop, paid.quote);
    finalizeNow(shop);
    doors[0]?.behave({ fault: 'html' });
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('processing');
    doors[0]?.behave({ fault: null });
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    const [first, second] = reader.source.providers;
    const { rows } = await shop.database.pool.query('select read_by, proven_by from transfers where tx_id = $1', [
      hash,
    ]);
    expect(rows).toEqual([{ read_by: second, proven_by: first }]);
  });

  test('nothing is final by the word of one alone, neither a payment nor the lack of one', async () => {
    const paid = await openQuote(shop, store);
    const unpaid = await openQuote(shop, store);
    // At an account of its own: no payment that waits for a second word holds it up.
    const quiet = await openSolanaStore(shop);
    const unpaidElsewhere = await openQuote(shop, quiet);
    // The first calls final what it has just seen.
    doors[0]?.behave({ finalityLag: 0 });
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    await pay(shop, paid.quote);
    produceNow(shop, 2);
    await goPast(shop, unpaid.transId);
    await goPast(shop, unpaidElsewhere.transId);
    const slot = produceNow(shop, 8);
    for (let poll = 0; poll < 3; poll += 1) {
      await follow(shop, reader);
      await ageReads(shop);
      await expire(shop);
    }
    expect(await statusOf(shop, store, paid.transId)).toBe('processing');
    expect(await statusOf(shop, store, unpaid.transId)).toBe('waiting');
    expect(await statusOf(shop, quiet, unpaidElsewhere.transId)).toBe('waiting');
    expect(await covered()).toBeLessThan(slot - 8);
    await settle(shop, reader);
    await expire(shop);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await statusOf(shop, store, unpaid.transId)).toBe('expired');
    expect(await statusOf(shop, quiet, unpaidElsewhere.transId)).toBe('expired');
  });

  test('while the other is silent everything goes on, only later', async () => {
    const paid = await openQuote(shop, store);
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    await pay(shop, paid.quote);
    finalizeNow(shop);
    doors[1]?.behave({ fault: 'busy' });
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('processing');
    await follow(shop, reader);
    await ageReads(shop);
    await follow(shop, reader);
    // Who read it first alone says so: the other has a minute to answer, and then a person is told.
    expect(await statusOf(shop, store, paid.transId)).toBe('processing');
    shop.clock.advance(SILENT_MS);
    await follow(shop, reader);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await alarmsOf(shop, 'chain:SOL')).toContain('provider-silent');
  });
});

describe('a payment that the second read lacks', () => {
  const DOUBT_MS = 10_000;

  test('stays when another provider lists it, though one beside it is gone for good', async () => {
    const [gone, stays] = [await openQuote(shop, store), await openQuote(shop, store)];
    await settle(shop);
    const staying = await pay(shop, stays.quote);
    produceNow(shop, 2);
    const vanishing = await pay(shop, gone.quote);
    produceNow(shop, 2);
    const reader = createReader(shop, { urls: urls() });
    await follow(shop, reader);
    shop.node.drop(2, 'vanish');
    const { source } = reader;
    const [, second] = source.providers;
    // The second one's list has a hole where the payment is.
    reader.source = {
      ...source,
      readAccount: async (request) => {
        const read = await source.readAccount(request);
        return { ...read, transfers: read.transfers.filter(({ txId }) => read.by !== second || txId !== staying) };
      },
    };
    await settle(shop, reader);
    shop.clock.advance(DOUBT_MS);
    await settle(shop, reader);
    expect(await transfersOf(shop, staying)).toMatchObject([{ canonical: true }]);
    expect(await statusOf(shop, store, stays.transId)).toBe('completed');
    expect(await alarmsOf(shop, stays.transId)).toEqual([]);
    reader.source = source;
    await settle(shop, reader);
    expect(await transfersOf(shop, vanishing)).toMatchObject([{ canonical: false }]);
    expect(await statusOf(shop, store, gone.transId)).toBe('waiting');
    expect(await transfersOf(shop, staying)).toMatchObject([{ canonical: true }]);
  });

  test('is doubted from the moment that it is lacked, however long another has been', async () => {
    const [one, other] = [await openQuote(shop, store), await openQuote(shop, store)];
    await settle(shop);
    const hashes = [await pay(shop, one.quote), await pay(shop, other.quote)];
    produceNow(shop, 2);
    const reader = createReader(shop);
    await follow(shop, reader);
    const { source } = reader;
    let hidden = '';
    const isShown = ({ txId }: { txId: string }) => txId !== hidden;
    reader.source = {
      ...source,
      readAccount: async (request) => {
        const read = await source.readAccount(request);
        return { ...read, transfers: read.transfers.filter(isShown) };
      },
      readTransactions: async (request) => {
        const { transactions, by } = await source.readTransactions(request);
        return {
          by,
          transactions: transactions.map((read) => (isShown(read) ? read : { txId: read.txId, outcome: 'absent' })),
        };
      },
    };
    for (const hash of hashes) {
      hidden = hash;
      await settle(shop, reader);
      shop.clock.advance(DOUBT_MS);
    }
    for (const hash of hashes) expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true }]);
    hidden = '';
    await settle(shop, reader);
    for (const { transId } of [one, other]) expect(await statusOf(shop, store, transId)).toBe('completed');
  });
});

describe('two workers', () => {
  test('what one read before another covered the account is not committed by it: a payment that is gone stays gone', async () => {
    const open = await openQuote(shop, store);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const slow = createReader(shop, {
      failpoint: async (name) => {
        if (name !== 'account:before-commit') return;
        arrive();
        await held;
      },
    });
    const quick = createReader(shop);
    await settle(shop, quick);
    const hash = await pay(shop, open.quote);
    produceNow(shop, 2);
    const late = follow(shop, slow);
    await reached;
    // The fork without the payment wins, and the other worker reads and covers it.
    shop.node.drop(2, 'vanish');
    await settle(shop, quick);
    const { height, covered: end } = await accountOf(shop, store.wallet);
    release();
    await late;
    expect(end).toBeGreaterThan(0);
    expect(await transfersOf(shop, hash)).toEqual([]);
    expect(await statusOf(shop, store, open.transId)).toBe('waiting');
    expect(await accountOf(shop, store.wallet)).toMatchObject({ height, covered: end });
  });

  test('what one read before another found a payment takes nothing away from it', async () => {
    const early = await openQuote(shop, store);
    const late = await openQuote(shop, store);
    await settle(shop);
    await pay(shop, early.quote);
    produceNow(shop, 2);
    const hash = await pay(shop, late.quote);
    shop.node.behave({ versions: new Map([[hash, 9]]) });
    finalizeNow(shop);
    for (let poll = 0; poll < 2; poll += 1) await follow(shop);
    expect(await transfersOf(shop, hash)).toEqual([]);
    await ageReads(shop);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const slow = createReader(shop, {
      failpoint: async (name) => {
        if (name !== 'account:before-cover') return;
        arrive();
        await held;
      },
    });
    const covering = follow(shop, slow);
    await reached;
    // Meanwhile another worker can read the transaction: what the first one holds in its hands lacks it.
    shop.node.behave({ versions: new Map() });
    await shop.database.pool.query('update unreadable_transactions set next_try_at = clock_timestamp()');
    const quick = createReader(shop);
    for (let poll = 0; poll < 3; poll += 1) await follow(shop, quick);
    release();
    await covering;
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true, trans_id: late.transId }]);
    expect(await statusOf(shop, store, late.transId)).toBe('completed');
    expect([slow.counts.rewinds, quick.counts.rewinds]).toEqual([0, 0]);
    expect(await alarmsOf(shop, late.transId)).toEqual([]);
  });

  test('what one read without a payment does not take it from another that has found and covered it since', async () => {
    const early = await openQuote(shop, store);
    const late = await openQuote(shop, store);
    await settle(shop);
    await pay(shop, early.quote);
    produceNow(shop, 2);
    const hash = await pay(shop, late.quote);
    const { source } = shop.follower;
    const lacking: typeof source.readAccount = async (request) => {
      const read = await source.readAccount(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
    };
    finalizeNow(shop);
    const blind = { source: { ...source, readAccount: lacking } };
    for (let poll = 0; poll < 2; poll += 1) await follow(shop, createReader(shop, blind));
    expect(await transfersOf(shop, hash)).toEqual([]);
    await ageReads(shop);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const failpoint = async (name: string) => {
      if (name !== 'account:before-cover') return;
      arrive();
      await held;
    };
    const slow = createReader(shop, { ...blind, failpoint });
    const covering = follow(shop, slow);
    await reached;
    const quick = createReader(shop);
    for (let poll = 0; poll < 2; poll += 1) await follow(shop, quick);
    expect(await statusOf(shop, store, late.transId)).toBe('completed');
    release();
    await covering;
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true, trans_id: late.transId }]);
    expect(await alarmsOf(shop, late.transId)).toEqual([]);
    expect([slow.counts.rewinds, quick.counts.rewinds]).toEqual([0, 0]);
  });

  test('an account at which something was committed since is not covered by what was read before', async () => {
    await openQuote(shop, store);
    await settle(shop);
    finalizeNow(shop);
    for (let poll = 0; poll < 2; poll += 1) await follow(shop);
    await ageReads(shop);
    const { source } = shop.follower;
    const interrupted = createReader(shop, {
      source: {
        ...source,
        readAccount: async (request) => {
          const read = await source.readAccount(request);
          // As a rescan does, which may have found what this read lacks.
          if (request.account === store.wallet)
            await inTransaction(shop.as('worker'), (tx) => lockAccount(tx, 'SOL', store.wallet));
          return read;
        },
      },
    });
    const before = await accountOf(shop, store.wallet);
    await follow(shop, interrupted);
    expect(await accountOf(shop, store.wallet)).toMatchObject({ height: before.height, covered: before.covered });
    await follow(shop);
    expect(await covered()).toBeGreaterThan(before.covered);
  });

  test('an account does not rest for good when somebody selects it at that very moment', async () => {
    const first = await openQuote(shop, store);
    await goPast(shop, first.transId);
    await settle(shop);
    await expire(shop);
    shop.clock.advance(25 * 3_600_000);
    produceNow(shop, 2);
    const { database } = shop;
    const until = secondsNow(shop) - 60;
    const { resting } = await inTransaction(database, async (tx) => {
      await lockAccount(tx, 'SOL', store.wallet);
      // It has found that nothing rests there, and waits for whoever holds the account.
      const idling = idleAccount(database.queries, 'SOL', store.wallet, until);
      for (let waiting = 0; waiting === 0;) {
        const { rowCount } = await database.pool.query(
          'select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()',
        );
        waiting = rowCount ?? 0;
      }
      await openQuote(shop, store);
      await takeDemands(tx, 'SOL', 100);
      return { resting: idling };
    });
    await resting;
    expect(await accountOf(shop, store.wallet)).toMatchObject({ state: 'following' });
  });
});
