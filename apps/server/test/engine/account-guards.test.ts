import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import type { AccountRead, AccountRequest, AccountSource } from '../../src/sources/account-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, eventsOf, factsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { duringChange } from '../../rig/invoices/change-rows.ts';
import { expire, mineNow, settle as settleChain } from '../../rig/invoices/follow-network.ts';
import { newInvoice, select as selectOn } from '../../rig/invoices/pay-invoice.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  ageReads,
  createReader,
  follow,
  goPast,
  openBothNetworks,
  openQuote,
  openSolanaStore,
  pay,
  produceNow,
  readDatabaseTime,
  select,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** Trouble of one account does not affect others; and the limits while an account or its network is in doubt. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  ({ engine, store } = await openBothNetworks(inject('template')));
});
afterAll(() => engine.close());
beforeEach(async () => {
  await settleChain(engine, 'BSC');
});

const RARELY = { open: 3_600, resting: 3_600 };
const FLOOD = 500;
const FLOOD_PER_SLOT = 25;

/** The engine's source with changed answers for one account. */
function sourceWith(
  account: string,
  change: (source: AccountSource, request: AccountRequest) => Promise<AccountRead>,
): AccountSource {
  const { source } = engine.follower;
  return {
    ...source,
    readAccount: (request: AccountRequest) =>
      request.account === account ? change(source, request) : source.readAccount(request),
  };
}

/** Polls for which a new account is read often. */
const WATCHED_POLLS = 25;
const SLOTS_PER_POLL = 8;

describe('one account', () => {
  test('whose reads never end delays no other: payments complete and invoices expire meanwhile', async () => {
    const flooded = await openQuote(engine, await openSolanaStore(engine));
    const paid = await openQuote(engine, store);
    const other = await openSolanaStore(engine);
    const unpaid = await openQuote(engine, other);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const source = sourceWith(flooded.quote.toAddress, async () => {
      await held;
      throw new SourceError('unavailable', 'It took too long.');
    });
    const follower = createReader(engine, { source });
    await pay(engine, paid.quote);
    produceNow(engine, 40);
    await goPast(engine, unpaid.transId);
    produceNow(engine, 40);
    const others = `update followed_accounts set next_read_at = '-infinity' where account <> $1`;
    for (let poll = 0; poll < 3; poll += 1) {
      await engine.database.pool.query(others, [flooded.quote.toAddress]);
      await followAccounts(follower);
      // Every other turn ends while this one is still under way.
      while (follower.memory.reading.size > 1) await Promise.race(follower.memory.reading);
      await ageReads(engine);
    }
    await expire(engine);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await statusOf(engine, other, unpaid.transId)).toBe('expired');
    expect(follower.memory.reading.size).toBe(1);
    release();
    await finishReading(follower);
    expect(await accountOf(engine, flooded.quote.toAddress)).toMatchObject({ failures: 1 });
  });

  test('that is flooded is read in bounded pieces, turn by turn: others are done long before it, and it loses nothing', async () => {
    const victim = await openSolanaStore(engine);
    const flooded = await openQuote(engine, victim);
    const paid = await openQuote(engine, store);
    for (let count = 0; count < FLOOD; count += 1) {
      await pay(engine, flooded.quote, { token: 'SOL', units: 1_000_000n + BigInt(count) });
      if (count % FLOOD_PER_SLOT === 0) produceNow(engine);
    }
    await pay(engine, flooded.quote);
    await pay(engine, paid.quote);
    produceNow(engine, 40);
    await followAccounts(engine.follower);
    await finishReading(engine.follower);
    expect(await statusOf(engine, store, paid.transId)).toBe('completed');
    expect(await statusOf(engine, victim, flooded.transId)).toBe('waiting');
    const { height } = await accountOf(engine, victim.wallet);
    expect(height).toBeLessThan((await accountOf(engine, store.wallet)).height);
    await follow(engine);
    expect(await statusOf(engine, victim, flooded.transId)).toBe('completed');
    const { rows } = await engine.database.pool.query(
      'select count(*)::integer as kept from transfers where to_address = $1',
      [victim.wallet],
    );
    expect(rows).toEqual([{ kept: FLOOD + 1 }]);
  });

  test('where nothing changed is not read again until its coverage is due; a payment there is seen at once', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const follower = createReader(engine, { coverSeconds: RARELY });
    for (let poll = 0; poll < WATCHED_POLLS; poll += 1) await follow(engine, follower);
    produceNow(engine, 5);
    const { height } = await accountOf(engine, quote.toAddress);
    await follow(engine, follower);
    await follow(engine, follower);
    expect(await accountOf(engine, quote.toAddress)).toMatchObject({ height });
    await pay(engine, quote);
    produceNow(engine);
    await follow(engine, follower);
    expect(await statusOf(engine, own, transId)).toBe('processing');
    produceNow(engine, 40);
    await follow(engine, follower);
    expect(await statusOf(engine, own, transId)).toBe('completed');
  });

  test('that was paid before its first read, and not listed then, is read again until the payment is found', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const follower = createReader(engine, { coverSeconds: RARELY });
    engine.node.behave({ indexLagSlots: 3 });
    await pay(engine, quote);
    produceNow(engine, 2);
    await follow(engine, follower);
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    produceNow(engine, SLOTS_PER_POLL);
    await follow(engine, follower);
    engine.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(engine, own, transId)).toBe('processing');
  });

  test('whose listing is behind its balances is read again until the payment is found', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const follower = createReader(engine, { coverSeconds: RARELY });
    await follow(engine, follower);
    engine.node.behave({ indexLagSlots: 3 });
    await pay(engine, quote);
    produceNow(engine, 2);
    await follow(engine, follower);
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    produceNow(engine, SLOTS_PER_POLL);
    await follow(engine, follower);
    engine.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(engine, own, transId)).toBe('processing');
  });

  test('that shows an earlier payment again, and not yet the new one, is read until the new one is found', async () => {
    const own = await openSolanaStore(engine);
    const first = await openQuote(engine, own);
    const follower = createReader(engine, { coverSeconds: RARELY });
    produceNow(engine, 2);
    await follow(engine, follower);
    await pay(engine, first.quote);
    produceNow(engine, 2);
    await follow(engine, follower);
    expect(await statusOf(engine, own, first.transId)).toBe('processing');
    const second = await openQuote(engine, own, 'SOL');
    produceNow(engine);
    await follow(engine, follower);
    engine.node.behave({ indexLagSlots: 1 });
    await pay(engine, second.quote);
    produceNow(engine);
    await follow(engine, follower);
    expect(await statusOf(engine, own, second.transId)).toBe('waiting');
    expect(await accountOf(engine, own.wallet)).toMatchObject({ failures: 0 });
    produceNow(engine, SLOTS_PER_POLL);
    await follow(engine, follower);
    engine.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(engine, own, second.transId)).toBe('processing');
  });

  test('is covered past every end that waits there as soon as it is final, not only past the last', async () => {
    const own = await openSolanaStore(engine);
    const first = await openQuote(engine, own);
    const follower = createReader(engine, { coverSeconds: RARELY });
    engine.clock.advance(10 * 60_000);
    const last = await openQuote(engine, own);
    produceNow(engine, 2);
    await follow(engine, follower);
    const { covered } = await accountOf(engine, own.wallet);
    await goPast(engine, first.transId);
    produceNow(engine);
    await follow(engine, follower);
    expect(await accountOf(engine, own.wallet)).toMatchObject({ covered });
    await settle(engine, follower);
    await expire(engine);
    expect(await statusOf(engine, own, first.transId)).toBe('expired');
    expect(await statusOf(engine, own, last.transId)).toBe('waiting');
  });

  test('that cannot be read waits longer each time, and the reason is kept', async () => {
    const { quote } = await openQuote(engine, await openSolanaStore(engine));
    await follow(engine);
    const source = sourceWith(quote.toAddress, async () => {
      throw new SourceError('unavailable', 'There is no such thing.');
    });
    const follower = createReader(engine, { source, pollMs: { open: 1_000, resting: 1_000 } });
    produceNow(engine, 2);
    for (const waitSeconds of [1, 2, 4]) {
      await engine.database.pool.query(`update followed_accounts set next_read_at = now() where account = $1`, [
        quote.toAddress,
      ]);
      const beforeRead = await readDatabaseTime(engine);
      await followAccounts(follower);
      await finishReading(follower);
      // The wait began between these two moments, however far they are apart.
      const { rows } = await engine.database.pool.query(
        `select next_read_at - make_interval(secs => $2) between $3::timestamptz and clock_timestamp() as waits, last_error
         from followed_accounts where account = $1`,
        [quote.toAddress, waitSeconds, beforeRead],
      );
      expect(rows).toEqual([{ waits: true, last_error: 'There is no such thing.' }]);
    }
    expect(follower.counts.failures).toBe(3);
    await follow(engine);
    expect(await accountOf(engine, quote.toAddress)).toMatchObject({ failures: 0 });
  });

  test('whose answer is not of what was asked for is not believed', async () => {
    const open = await openQuote(engine, await openSolanaStore(engine));
    await follow(engine);
    const { height } = await accountOf(engine, open.quote.toAddress);
    produceNow(engine, 2);
    const source = sourceWith(open.quote.toAddress, async (_source, request) => {
      const end = { height: request.upTo.height + 1, time: request.upTo.time };
      return { transfers: [], unreadable: [], by: 'test', end };
    });
    await follow(engine, createReader(engine, { source }));
    expect(await accountOf(engine, open.quote.toAddress)).toMatchObject({ height, failures: 1 });
  });
});

describe('an invoice that is quoted on a whole chain and at an account', () => {
  test('waits for both, in either order', async () => {
    for (const first of ['SOL', 'BSC']) {
      const { transId } = first === 'SOL' ? await openQuote(engine, store) : await openOn('BSC');
      if (first === 'SOL') await selectOn(engine, transId, 'BSC');
      else await select(engine, transId);
      await goPast(engine, transId);
      await expire(engine);
      expect(await statusOf(engine, store, transId)).toBe('waiting');
      await settle(engine);
      await expire(engine);
      expect(await statusOf(engine, store, transId)).toBe('waiting');
      expect(await factsOf(engine, transId)).toMatchObject({ gate_network: 'BSC' });
      await settleChain(engine, 'BSC');
      await expire(engine);
      expect(await statusOf(engine, store, transId)).toBe('expired');
      expect(await eventsOf(engine, transId)).toHaveLength(1);
    }
  });
});

async function openOn(network: string): Promise<{ transId: string }> {
  const transId = await newInvoice(engine, store);
  await selectOn(engine, transId, network);
  return { transId };
}

describe('expiry', () => {
  test.each([
    [
      'coverage that was taken away',
      `update chain_coverage set block_time = block_time - interval '1 hour' where network = 'SOL'`,
    ],
    ['a network that froze', `update chains set frozen_at = now() where network = 'SOL'`],
  ])('does not rely on %s after it had read it', async (_title, change) => {
    const own = await openSolanaStore(engine);
    const { transId } = await openQuote(engine, own);
    await goPast(engine, transId);
    await settle(engine);
    await duringChange(engine, ['lock table invoices in exclusive mode', change], () =>
      expireDueInvoices({ database: engine.as('worker'), clock: engine.clock }),
    );
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    await engine.database.pool.query('update chains set frozen_at = null');
    await settle(engine);
    await expire(engine);
    expect(await statusOf(engine, own, transId)).toBe('expired');
  });

  test('leaves an invoice at an account whose network freezes after the invoice was locked', async () => {
    const own = await openSolanaStore(engine);
    const { transId } = await openQuote(engine, own);
    await goPast(engine, transId);
    await settle(engine);
    const failpoint = async (name: string) => {
      if (name !== 'expire:locked') return;
      const free = 'select from invoices where trans_id = $1 for update skip locked';
      const { rowCount } = await engine.database.pool.query(free, [transId]);
      if (rowCount === 0) await engine.database.pool.query(`update chains set frozen_at = now() where network = 'SOL'`);
    };
    await expireDueInvoices({ database: engine.as('worker'), clock: engine.clock, failpoint });
    const { rows } = await engine.database.pool.query(
      `update chains set frozen_at = null where network = 'SOL' and frozen_at is not null returning network`,
    );
    expect(rows).toEqual([{ network: 'SOL' }]);
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    await expire(engine);
    expect(await statusOf(engine, own, transId)).toBe('expired');
  });
});

describe('a network whose accounts are read', () => {
  test('is frozen when a completed invoice loses its payment, and neither settles nor covers until it is unfrozen', async () => {
    const own = await openSolanaStore(engine);
    const lost = await openQuote(engine, own);
    const hash = await pay(engine, lost.quote);
    await settle(engine);
    expect(await statusOf(engine, own, lost.transId)).toBe('completed');
    const waiting = await openQuote(engine, own);
    await pay(engine, waiting.quote);
    produceNow(engine, 2);
    await follow(engine);
    // The account looks as if it had been covered too early: the final view lacks the payment.
    await engine.database.pool.query(
      `update chain_coverage set height = (select height from transfers where tx_id = $1) - 1 where scope = $2`,
      [hash, own.wallet],
    );
    const withHole = sourceWith(own.wallet, async (whole, request) => {
      const read = await whole.readAccount(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
    });
    await follow(engine, createReader(engine, { source: withHole }));
    engine.clock.advance(11_000);
    await follow(engine, createReader(engine, { source: withHole }));
    // Only the list has a hole: the transaction itself is still there.
    expect(await alarmsOf(engine, lost.transId)).toEqual([]);
    const readTransactions: AccountSource['readTransactions'] = async (request) => {
      const { by, transactions } = await withHole.readTransactions(request);
      return {
        by,
        transactions: transactions.map((one) => (one.txId === hash ? { txId: hash, outcome: 'absent' } : one)),
      };
    };
    const liar = createReader(engine, { source: { ...withHole, readTransactions } });
    await follow(engine, liar);
    engine.clock.advance(11_000);
    await follow(engine, liar);
    expect(await alarmsOf(engine, lost.transId)).toEqual(['payment-reverted']);
    expect(await statusOf(engine, own, lost.transId)).toBe('completed');
    const { covered } = await accountOf(engine, own.wallet);
    await settle(engine);
    expect(await statusOf(engine, own, waiting.transId)).toBe('processing');
    expect(await accountOf(engine, own.wallet)).toMatchObject({ covered });
    await command(engine, 'chain unfreeze', { network: 'SOL', reason: 'accepted' });
    await settle(engine);
    expect(await statusOf(engine, own, waiting.transId)).toBe('completed');
    expect(await transfersOf(engine, hash)).toHaveLength(1);
  });

  test('shows its health, with the accounts that are behind', async () => {
    const { transId } = await openQuote(engine, await openSolanaStore(engine));
    await settle(engine);
    const status = async () =>
      ((await command(engine, 'chain status', {})) as { network: string; accounts?: string; frozen: boolean }[]).find(
        ({ network }) => network === 'SOL',
      );
    expect(await status()).toMatchObject({ frozen: false, accounts: expect.stringContaining(' 0 behind, 0 failing') });
    engine.node.behave({ fault: 'busy' });
    await goPast(engine, transId);
    await follow(engine);
    engine.node.behave({ fault: null });
    expect(await status()).toMatchObject({ accounts: expect.stringMatching(/^[1-9]\d* open/) });
    await settle(engine);
    await expire(engine);
  });

  test('may be given up: its invoices expire once they have ended, not before, also at accounts nobody ever read', async () => {
    const unread = await openQuote(engine, await openSolanaStore(engine));
    const read = await openQuote(engine, store);
    await engine.database.pool.query('delete from account_demands where account = $1', [unread.quote.toAddress]);
    await settle(engine);
    await command(engine, 'chain retire', { network: 'SOL', reason: 'the network has ended' });
    await expire(engine);
    expect(await factsOf(engine, read.transId)).toBeDefined();
    expect(await statusOf(engine, store, read.transId)).toBe('waiting');
    await goPast(engine, read.transId);
    await expire(engine);
    expect(await statusOf(engine, store, read.transId)).toBe('expired');
    expect(await eventsOf(engine, unread.transId)).toMatchObject([{ event: 'invoice.expired' }]);
    await mineNow(engine, 'BSC');
    expect(await followAccounts(engine.follower)).toBe('idle');
    expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
  });
});
