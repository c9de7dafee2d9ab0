import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { lockAccount } from '../../src/accounts/account-sql.ts';
import { stopFollowingUnused, takeDemands } from '../../src/accounts/account-schedule-sql.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, eventsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { secondsNow } from '../../rig/invoices/engine-fixture.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  goPast,
  makeDue,
  makeRetriesDue,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** A shown payment settles immediately; its absence takes two reads that differ in time or provider. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  doors.push(await engine.node.openDoor(), await engine.node.openDoor());
});
afterAll(() => engine.close());
beforeEach(async () => {
  engine.node.behave({ alpenglow: false, indexLagSlots: 0, versions: new Map() });
  for (const door of doors)
    door.behave({ alpenglow: false, lagSlots: 0, finalityLag: null, fault: null, indexLagSlots: 0 });
  store = await openSolanaStore(engine);
});

const SILENT_MS = 61_000;

const refuse = () => Promise.reject(new SourceError('unavailable', 'No proofs now.'));

const urls = () => doors.map(({ url }) => url);
const covered = async () => (await accountOf(engine, store.wallet)).covered;

describe('with one provider', () => {
  test('an account is not covered before its first read is old enough, and a payment does not wait for that', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine);
    await follow(engine, reader);
    const before = await covered();
    await pay(engine, paid.quote);
    finalizeNow(engine);
    await follow(engine, reader);
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await covered()).toBe(before);
    await ageReads(engine);
    await follow(engine, reader);
    expect(await covered()).toBeGreaterThan(before);
    expect(await eventsOf(engine, paid.transId)).toHaveLength(1);
  });

  test('an account that was just covered up to its final block is not polled again at once', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine);
    await follow(engine, reader);
    const before = await covered();
    await pay(engine, paid.quote);
    finalizeNow(engine);
    await follow(engine, reader);
    await ageReads(engine);
    await makeDue(engine);
    await followAccounts(reader);
    await finishReading(reader);
    expect(await covered()).toBeGreaterThan(before);
    const due = 'select from followed_accounts where account = $1 and next_read_at <= now()';
    expect((await engine.database.pool.query(due, [store.wallet])).rowCount).toBe(0);
  });

  test('a payment whose proof is refused is a failure of its account, and completes once the proof is given', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine);
    await follow(engine, reader);
    await pay(engine, paid.quote);
    finalizeNow(engine);
    await follow(engine, { ...reader, source: { ...reader.source, readTransactions: refuse } });
    expect(await accountOf(engine, store.wallet)).toMatchObject({ failures: 1 });
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await accountOf(engine, store.wallet)).toMatchObject({ failures: 0 });
  });

  test('an account that is read at every poll is covered all the same, up to an end that has grown old', async () => {
    await openQuote(engine, store);
    const reader = createReader(engine);
    await follow(engine, reader);
    const before = await covered();
    for (let poll = 0; poll < 5; poll += 1) {
      finalizeNow(engine);
      await follow(engine, reader);
    }
    // Only the earlier read end is old: the cursor's is new after every poll.
    await engine.database.pool.query(
      `update followed_accounts set earlier_at = earlier_at - interval '1 minute' where account = $1`,
      [store.wallet],
    );
    const { height } = await accountOf(engine, store.wallet);
    finalizeNow(engine);
    await follow(engine, reader);
    expect(await covered()).toBeGreaterThan(before);
    expect(await covered()).toBeLessThan(height);
  });

  test('the age is counted by the database’s clock, and a pace makes it shorter', async () => {
    const unpaid = await openQuote(engine, store);
    const reader = createReader(engine, { secondReadAgeSeconds: 0.001 });
    await follow(engine, reader);
    await goPast(engine, unpaid.transId);
    finalizeNow(engine);
    for (let poll = 0; poll < 3; poll += 1) await follow(engine, reader);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  });

  test('where what is confirmed is final, a payment completes at the poll that sees it, and two reads stay two', async () => {
    const paid = await openQuote(engine, store);
    const unpaid = await openQuote(engine, store);
    const reader = createReader(engine);
    engine.node.behave({ alpenglow: true });
    await follow(engine, reader);
    await pay(engine, paid.quote);
    produceNow(engine, 2);
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    await goPast(engine, unpaid.transId);
    produceNow(engine, 8);
    for (let poll = 0; poll < 3; poll += 1) {
      produceNow(engine, 8);
      await follow(engine, reader);
    }
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');
    await ageReads(engine);
    await follow(engine, reader);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  });

  test('where what is confirmed is final and its list is written late, no paid invoice expires', async () => {
    engine.node.behave({ alpenglow: true, indexLagSlots: 20 });
    const open = [];
    for (let count = 0; count < 10; count += 1) open.push(await openQuote(engine, store));
    const reader = createReader(engine);
    for (const { quote } of open) {
      await pay(engine, quote);
      produceNow(engine, 8);
      await follow(engine, reader);
    }
    await goPast(engine, open.at(-1)?.transId ?? '');
    for (let poll = 0; poll < 6; poll += 1) {
      produceNow(engine, 8);
      await follow(engine, reader);
      await ageReads(engine);
      await expire(engine);
    }
    const statuses = await Promise.all(open.map(({ transId }) => statusOf(engine, store, transId)));
    expect(new Set(statuses)).toEqual(new Set(['completed']));
  });
});

describe('with two providers', () => {
  test('the other one covers at once what the first has read', async () => {
    const unpaid = await openQuote(engine, store);
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    await goPast(engine, unpaid.transId);
    finalizeNow(engine);
    for (let poll = 0; poll < 3; poll += 1) await follow(engine, reader);
    await expire(engine);
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  });

  test('a payment settles by the answer of the provider that did not find it', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    const hash = await pay(engine, paid.quote);
    finalizeNow(engine);
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    const { rows } = await engine.database.pool.query('select read_by, proven_by from transfers where tx_id = $1', [
      hash,
    ]);
    expect(rows).toEqual([{ read_by: reader.source.providers[0], proven_by: reader.source.providers[1] }]);
  });

  test('a payment that the second one found settles by the answer of the first, and not by its own', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    const hash = await pay(engine, paid.quote);
    finalizeNow(engine);
    doors[0]?.behave({ fault: 'html' });
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    doors[0]?.behave({ fault: null });
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    const [first, second] = reader.source.providers;
    const { rows } = await engine.database.pool.query('select read_by, proven_by from transfers where tx_id = $1', [
      hash,
    ]);
    expect(rows).toEqual([{ read_by: second, proven_by: first }]);
  });

  test('nothing is final by the answer of one alone, neither a payment nor the lack of one', async () => {
    const paid = await openQuote(engine, store);
    const unpaid = await openQuote(engine, store);
    // The unpaid invoice has its own account, so that no unproven payment delays it.
    const quiet = await openSolanaStore(engine);
    const unpaidElsewhere = await openQuote(engine, quiet);
    // The first provider calls blocks final that it has just seen.
    doors[0]?.behave({ finalityLag: 0 });
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    await pay(engine, paid.quote);
    produceNow(engine, 2);
    await goPast(engine, unpaid.transId);
    await goPast(engine, unpaidElsewhere.transId);
    const slot = produceNow(engine, 8);
    for (let poll = 0; poll < 3; poll += 1) {
      await follow(engine, reader);
      await ageReads(engine);
      await expire(engine);
    }
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');
    expect(await statusOf(engine, quiet, unpaidElsewhere.transId)).toBe('waiting');
    expect(await covered()).toBeLessThan(slot - 8);
    await settle(engine, reader);
    await expire(engine);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
    expect(await statusOf(engine, quiet, unpaidElsewhere.transId)).toBe('expired');
  });

  test('while the other is silent everything goes on, only later', async () => {
    const paid = await openQuote(engine, store);
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    await pay(engine, paid.quote);
    finalizeNow(engine);
    doors[1]?.behave({ fault: 'busy' });
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    await follow(engine, reader);
    await ageReads(engine);
    await follow(engine, reader);
    // Only the first reader calls the payment final: the other provider has a minute, then an alarm is raised.
    expect(await statusOf(engine, store, paid.transId)).toBe('processing');
    engine.clock.advance(SILENT_MS);
    await follow(engine, reader);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:SOL')).toContain('provider-silent');
  });
});

describe('a payment that the second read lacks', () => {
  const DOUBT_MS = 10_000;

  test('stays when providers show it by its id, though one beside it is gone for good', async () => {
    const [gone, stays] = [await openQuote(engine, store), await openQuote(engine, store)];
    await settle(engine);
    const staying = await pay(engine, stays.quote);
    produceNow(engine, 2);
    const vanishing = await pay(engine, gone.quote);
    produceNow(engine, 2);
    const reader = createReader(engine, { urls: urls() });
    await follow(engine, reader);
    engine.node.drop(2, 'vanish');
    const { source } = reader;
    // Final lists of both providers have a hole where the payment is.
    const readAccount: typeof source.readAccount = async (request) => {
      const read = await source.readAccount(request);
      const isHole = (txId: string) => request.commitment === 'finalized' && txId === staying;
      return { ...read, transfers: read.transfers.filter(({ txId }) => !isHole(txId)) };
    };
    const misled = { ...reader, source: { ...source, readAccount } };
    await settle(engine, misled);
    engine.clock.advance(DOUBT_MS);
    await settle(engine, misled);
    expect(await transfersOf(engine, staying)).toMatchObject([{ canonical: true }]);
    expect(await statusOf(engine, store, stays.transId)).toBe('completed');
    expect(await alarmsOf(engine, stays.transId)).toEqual([]);
    await settle(engine, reader);
    expect(await transfersOf(engine, vanishing)).toMatchObject([{ canonical: false }]);
    expect(await statusOf(engine, store, gone.transId)).toBe('waiting');
    expect(await transfersOf(engine, staying)).toMatchObject([{ canonical: true }]);
  });

  test('is doubted from the moment that it is missing, however long another has been', async () => {
    const [one, other] = [await openQuote(engine, store), await openQuote(engine, store)];
    await settle(engine);
    const hashes = [await pay(engine, one.quote), await pay(engine, other.quote)];
    produceNow(engine, 2);
    const honest = createReader(engine);
    await follow(engine, honest);
    const { source } = honest;
    let hidden = '';
    const isShown = ({ txId }: { txId: string }) => txId !== hidden;
    const readAccount: typeof source.readAccount = async (request) => {
      const read = await source.readAccount(request);
      return { ...read, transfers: read.transfers.filter(isShown) };
    };
    const readTransactions: typeof source.readTransactions = async (request) => {
      const { transactions, by } = await source.readTransactions(request);
      return {
        by,
        transactions: transactions.map((read) => (isShown(read) ? read : { txId: read.txId, outcome: 'absent' })),
      };
    };
    const reader = { ...honest, source: { ...source, readAccount, readTransactions } };
    for (const hash of hashes) {
      hidden = hash;
      await settle(engine, reader);
      engine.clock.advance(DOUBT_MS);
    }
    for (const hash of hashes) expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true }]);
    hidden = '';
    await settle(engine, reader);
    for (const { transId } of [one, other]) expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

describe('two workers', () => {
  test('what one read before another covered the account is not committed by it: a payment that is gone stays gone', async () => {
    const open = await openQuote(engine, store);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const slow = createReader(engine, {
      failpoint: async (name) => {
        if (name !== 'account:before-commit') return;
        arrive();
        await held;
      },
    });
    const quick = createReader(engine);
    await settle(engine, quick);
    const hash = await pay(engine, open.quote);
    produceNow(engine, 2);
    const late = follow(engine, slow);
    await reached;
    // The fork without the payment wins, and the other worker reads and covers it.
    engine.node.drop(2, 'vanish');
    await settle(engine, quick);
    const { height, covered: end } = await accountOf(engine, store.wallet);
    release();
    await late;
    expect(end).toBeGreaterThan(0);
    expect(await transfersOf(engine, hash)).toEqual([]);
    expect(await statusOf(engine, store, open.transId)).toBe('waiting');
    expect(await accountOf(engine, store.wallet)).toMatchObject({ height, covered: end });
  });

  test('what one read before another found a payment takes nothing away from it', async () => {
    const early = await openQuote(engine, store);
    const late = await openQuote(engine, store);
    await settle(engine);
    await pay(engine, early.quote);
    produceNow(engine, 2);
    const hash = await pay(engine, late.quote);
    engine.node.behave({ versions: new Map([[hash, 9]]) });
    finalizeNow(engine);
    for (let poll = 0; poll < 2; poll += 1) await follow(engine);
    expect(await transfersOf(engine, hash)).toEqual([]);
    await ageReads(engine);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const slow = createReader(engine, {
      failpoint: async (name) => {
        if (name !== 'account:before-cover') return;
        arrive();
        await held;
      },
    });
    const covering = follow(engine, slow);
    await reached;
    // Now another worker can read the transaction, which the first worker's read lacks.
    engine.node.behave({ versions: new Map() });
    await makeRetriesDue(engine, store.wallet);
    const quick = createReader(engine);
    for (let poll = 0; poll < 3; poll += 1) await follow(engine, quick);
    release();
    await covering;
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true, trans_id: late.transId }]);
    expect(await statusOf(engine, store, late.transId)).toBe('completed');
    expect([slow.counts.rewinds, quick.counts.rewinds]).toEqual([0, 0]);
    expect(await alarmsOf(engine, late.transId)).toEqual([]);
  });

  test('what one read without a payment does not take it from another that has found and covered it since', async () => {
    const early = await openQuote(engine, store);
    const late = await openQuote(engine, store);
    await settle(engine);
    await pay(engine, early.quote);
    produceNow(engine, 2);
    const hash = await pay(engine, late.quote);
    const { source } = engine.follower;
    const lacking: typeof source.readAccount = async (request) => {
      const read = await source.readAccount(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
    };
    finalizeNow(engine);
    const blind = { source: { ...source, readAccount: lacking } };
    for (let poll = 0; poll < 2; poll += 1) await follow(engine, createReader(engine, blind));
    expect(await transfersOf(engine, hash)).toEqual([]);
    await ageReads(engine);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
    const failpoint = async (name: string) => {
      if (name !== 'account:before-cover') return;
      arrive();
      await held;
    };
    const slow = createReader(engine, { ...blind, failpoint });
    const covering = follow(engine, slow);
    await reached;
    const quick = createReader(engine);
    for (let poll = 0; poll < 2; poll += 1) await follow(engine, quick);
    expect(await statusOf(engine, store, late.transId)).toBe('completed');
    release();
    await covering;
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true, trans_id: late.transId }]);
    expect(await alarmsOf(engine, late.transId)).toEqual([]);
    expect([slow.counts.rewinds, quick.counts.rewinds]).toEqual([0, 0]);
  });

  test('an account at which something was committed since is not covered by what was read before', async () => {
    await openQuote(engine, store);
    await settle(engine);
    finalizeNow(engine);
    for (let poll = 0; poll < 2; poll += 1) await follow(engine);
    await ageReads(engine);
    const { source } = engine.follower;
    const interrupted = createReader(engine, {
      source: {
        ...source,
        readAccount: async (request) => {
          const read = await source.readAccount(request);
          // The account's version rises, as when a rescan has found what this read lacks.
          if (request.account === store.wallet)
            await inTransaction(engine.as('worker'), (tx) => lockAccount(tx, 'SOL', store.wallet));
          return read;
        },
      },
    });
    const before = await accountOf(engine, store.wallet);
    await follow(engine, interrupted);
    expect(await accountOf(engine, store.wallet)).toMatchObject({ height: before.height, covered: before.covered });
    await follow(engine);
    expect(await covered()).toBeGreaterThan(before.covered);
  });

  test('an account does not become idle for good when it is selected at that very moment', async () => {
    const first = await openQuote(engine, store);
    await goPast(engine, first.transId);
    await settle(engine);
    await expire(engine);
    engine.clock.advance(25 * 3_600_000);
    produceNow(engine, 2);
    const { database } = engine;
    const until = secondsNow(engine) - 60;
    const { resting } = await inTransaction(database, async (tx) => {
      await lockAccount(tx, 'SOL', store.wallet);
      // The account was found to be unused, and the statement waits for the transaction that locks it.
      const idling = stopFollowingUnused(database.queries, 'SOL', store.wallet, until);
      for (let waiting = 0; waiting === 0;) {
        const { rowCount } = await database.pool.query(
          'select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()',
        );
        waiting = rowCount ?? 0;
      }
      await openQuote(engine, store);
      await takeDemands(tx, 'SOL', 100);
      return { resting: idling };
    });
    await resting;
    expect(await accountOf(engine, store.wallet)).toMatchObject({ state: 'following' });
  });
});
