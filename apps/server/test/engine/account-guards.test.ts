import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import type { AccountRead, AccountRequest, AccountSource } from '../../src/sources/account-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import type { TestStore } from '../harness.ts';
import {
  alarmsOf,
  command,
  duringChange,
  eventsOf,
  expire,
  factsOf,
  mineNow,
  newInvoice,
  select as selectOn,
  settle as settleChain,
  statusOf,
  transfersOf,
} from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
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
  select,
  settle,
} from './solana-shop.ts';

/** One account's trouble is nobody else's; and what nobody may do while an account or its network is in doubt. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  ({ shop, store } = await openBothNetworks());
});
afterAll(() => shop.close());
beforeEach(async () => {
  await settleChain(shop, 'BSC');
});

const RARELY = { open: 3_600, resting: 3_600 };
const FLOOD = 500;
const FLOOD_PER_SLOT = 25;

/** The shop's source with one account's answers changed. */
function sourceWith(
  account: string,
  change: (source: AccountSource, request: AccountRequest) => Promise<AccountRead>,
): AccountSource {
  const { source } = shop.follower;
  return {
    ...source,
    readAccount: (request: AccountRequest) =>
      request.account === account ? change(source, request) : source.readAccount(request),
  };
}

/** A new account is looked at often for so many polls. */
const WATCHED_POLLS = 25;
const SLOTS_PER_POLL = 8;

describe('one account', () => {
  test('whose reads never end delays no other: payments complete and invoices expire meanwhile', async () => {
    const flooded = await openQuote(shop, await openSolanaStore(shop));
    const paid = await openQuote(shop, store);
    const other = await openSolanaStore(shop);
    const unpaid = await openQuote(shop, other);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const source = sourceWith(flooded.quote.toAddress, async () => {
      await held;
      throw new SourceError('unavailable', 'It took too long.');
    });
    const follower = createReader(shop, { source });
    await pay(shop, paid.quote);
    produceNow(shop, 40);
    await goPast(shop, unpaid.transId);
    produceNow(shop, 40);
    const others = `update followed_accounts set next_read_at = '-infinity' where account <> $1`;
    for (let poll = 0; poll < 3; poll += 1) {
      await shop.database.pool.query(others, [flooded.quote.toAddress]);
      await followAccounts(follower);
      // Every other turn ends while this one is still under way.
      while (follower.reading.size > 1) await Promise.race(follower.reading);
      await ageReads(shop);
    }
    await expire(shop);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await statusOf(shop, other, unpaid.transId)).toBe('expired');
    expect(follower.reading.size).toBe(1);
    release();
    await finishReading(follower);
    expect(await accountOf(shop, flooded.quote.toAddress)).toMatchObject({ failures: 1 });
  });

  test('that is flooded is read in bounded pieces, turn by turn: others are done long before it, and it loses nothing', async () => {
    const victim = await openSolanaStore(shop);
    const flooded = await openQuote(shop, victim);
    const paid = await openQuote(shop, store);
    for (let count = 0; count < FLOOD; count += 1) {
      await pay(shop, flooded.quote, { token: 'SOL', units: 1_000_000n + BigInt(count) });
      if (count % FLOOD_PER_SLOT === 0) produceNow(shop);
    }
    await pay(shop, flooded.quote);
    await pay(shop, paid.quote);
    produceNow(shop, 40);
    await followAccounts(shop.follower);
    await finishReading(shop.follower);
    expect(await statusOf(shop, store, paid.transId)).toBe('completed');
    expect(await statusOf(shop, victim, flooded.transId)).toBe('waiting');
    const { height } = await accountOf(shop, victim.wallet);
    expect(height).toBeLessThan((await accountOf(shop, store.wallet)).height);
    await follow(shop);
    expect(await statusOf(shop, victim, flooded.transId)).toBe('completed');
    const { rows } = await shop.database.pool.query(
      'select count(*)::integer as kept from transfers where to_address = $1',
      [victim.wallet],
    );
    expect(rows).toEqual([{ kept: FLOOD + 1 }]);
  });

  test('where nothing changed is not read again until its coverage is due; a payment there is seen at once', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const follower = createReader(shop, { coverSeconds: RARELY });
    for (let poll = 0; poll < WATCHED_POLLS; poll += 1) await follow(shop, follower);
    produceNow(shop, 5);
    const { height } = await accountOf(shop, quote.toAddress);
    await follow(shop, follower);
    await follow(shop, follower);
    expect(await accountOf(shop, quote.toAddress)).toMatchObject({ height });
    await pay(shop, quote);
    produceNow(shop);
    await follow(shop, follower);
    expect(await statusOf(shop, own, transId)).toBe('processing');
    produceNow(shop, 40);
    await follow(shop, follower);
    expect(await statusOf(shop, own, transId)).toBe('completed');
  });

  test('that was paid before its first look, and not listed then, is looked at again until the payment is found', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const follower = createReader(shop, { coverSeconds: RARELY });
    shop.node.behave({ indexLagSlots: 3 });
    await pay(shop, quote);
    produceNow(shop, 2);
    await follow(shop, follower);
    expect(await statusOf(shop, own, transId)).toBe('waiting');
    produceNow(shop, SLOTS_PER_POLL);
    await follow(shop, follower);
    shop.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(shop, own, transId)).toBe('processing');
  });

  test('whose listing is behind its balances is looked at again until the payment is found', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const follower = createReader(shop, { coverSeconds: RARELY });
    await follow(shop, follower);
    shop.node.behave({ indexLagSlots: 3 });
    await pay(shop, quote);
    produceNow(shop, 2);
    await follow(shop, follower);
    expect(await statusOf(shop, own, transId)).toBe('waiting');
    produceNow(shop, SLOTS_PER_POLL);
    await follow(shop, follower);
    shop.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(shop, own, transId)).toBe('processing');
  });

  test('that shows an earlier payment again, and not yet the new one, is looked at until the new one is found', async () => {
    const own = await openSolanaStore(shop);
    const first = await openQuote(shop, own);
    const follower = createReader(shop, { coverSeconds: RARELY });
    produceNow(shop, 2);
    await follow(shop, follower);
    await pay(shop, first.quote);
    produceNow(shop, 2);
    await follow(shop, follower);
    expect(await statusOf(shop, own, first.transId)).toBe('processing');
    const second = await openQuote(shop, own, 'SOL');
    produceNow(shop);
    await follow(shop, follower);
    shop.node.behave({ indexLagSlots: 1 });
    await pay(shop, second.quote);
    produceNow(shop);
    await follow(shop, follower);
    expect(await statusOf(shop, own, second.transId)).toBe('waiting');
    expect(await accountOf(shop, own.wallet)).toMatchObject({ failures: 0 });
    produceNow(shop, SLOTS_PER_POLL);
    await follow(shop, follower);
    shop.node.behave({ indexLagSlots: 0 });
    expect(await statusOf(shop, own, second.transId)).toBe('processing');
  });

  test('is covered past every end that waits there as soon as it is final, not only past the last', async () => {
    const own = await openSolanaStore(shop);
    const first = await openQuote(shop, own);
    const follower = createReader(shop, { coverSeconds: RARELY });
    shop.clock.advance(10 * 60_000);
    const last = await openQuote(shop, own);
    produceNow(shop, 2);
    await follow(shop, follower);
    const { covered } = await accountOf(shop, own.wallet);
    await goPast(shop, first.transId);
    produceNow(shop);
    await follow(shop, follower);
    expect(await accountOf(shop, own.wallet)).toMatchObject({ covered });
    await settle(shop, follower);
    await expire(shop);
    expect(await statusOf(shop, own, first.transId)).toBe('expired');
    expect(await statusOf(shop, own, last.transId)).toBe('waiting');
  });

  test('that cannot be read waits longer each time, and the reason is kept', async () => {
    const { quote } = await openQuote(shop, await openSolanaStore(shop));
    await follow(shop);
    const source = sourceWith(quote.toAddress, async () => {
      throw new SourceError('unavailable', 'There is no such thing.');
    });
    const follower = createReader(shop, { source, pollMs: { open: 1_000, resting: 1_000 } });
    produceNow(shop, 2);
    const waits: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      await shop.database.pool.query(`update followed_accounts set next_read_at = now() where account = $1`, [
        quote.toAddress,
      ]);
      await followAccounts(follower);
      await finishReading(follower);
      const { rows } = await shop.database.pool.query<{ wait: number; last_error: string }>(
        `select round(extract(epoch from next_read_at - now()))::integer as wait, last_error from followed_accounts where account = $1`,
        [quote.toAddress],
      );
      expect(rows[0]?.last_error).toBe('There is no such thing.');
      waits.push(rows[0]?.wait ?? 0);
    }
    expect(waits).toEqual([1, 2, 4]);
    expect(follower.counts.failures).toBe(3);
    await follow(shop);
    expect(await accountOf(shop, quote.toAddress)).toMatchObject({ failures: 0 });
  });

  test('whose answer is not of what was asked for is not believed', async () => {
    const open = await openQuote(shop, await openSolanaStore(shop));
    await follow(shop);
    const { height } = await accountOf(shop, open.quote.toAddress);
    produceNow(shop, 2);
    const source = sourceWith(open.quote.toAddress, async (_source, request) => {
      const end = { height: request.upTo.height + 1, time: request.upTo.time };
      return { transfers: [], unreadable: [], by: 'test', end };
    });
    await follow(shop, createReader(shop, { source }));
    expect(await accountOf(shop, open.quote.toAddress)).toMatchObject({ height, failures: 1 });
  });
});

describe('an invoice that is quoted on a whole chain and at an account', () => {
  test('waits for both, in either order', async () => {
    for (const first of ['SOL', 'BSC']) {
      const { transId } = first === 'SOL' ? await openQuote(shop, store) : await openOn('BSC');
      if (first === 'SOL') await selectOn(shop, transId, 'BSC');
      else await select(shop, transId);
      await goPast(shop, transId);
      await expire(shop);
      expect(await statusOf(shop, store, transId)).toBe('waiting');
      await settle(shop);
      await expire(shop);
      expect(await statusOf(shop, store, transId)).toBe('waiting');
      expect(await factsOf(shop, transId)).toMatchObject({ gate_network: 'BSC' });
      await settleChain(shop, 'BSC');
      await expire(shop);
      expect(await statusOf(shop, store, transId)).toBe('expired');
      expect(await eventsOf(shop, transId)).toHaveLength(1);
    }
  });
});

async function openOn(network: string): Promise<{ transId: string }> {
  const transId = await newInvoice(shop, store);
  await selectOn(shop, transId, network);
  return { transId };
}

describe('expiry', () => {
  test.each([
    [
      'coverage that was taken away',
      `update chain_coverage set block_time = block_time - interval '1 hour' where network = 'SOL'`,
    ],
    ['a network that froze', `update chains set frozen_at = now() where network = 'SOL'`],
  ])('does not believe %s after it had read it', async (_title, change) => {
    const own = await openSolanaStore(shop);
    const { transId } = await openQuote(shop, own);
    await goPast(shop, transId);
    await settle(shop);
    await duringChange(shop, ['lock table invoices in exclusive mode', change], () =>
      expireDueInvoices(shop.as('worker'), shop.clock),
    );
    expect(await statusOf(shop, own, transId)).toBe('waiting');
    await shop.database.pool.query('update chains set frozen_at = null');
    await settle(shop);
    await expire(shop);
    expect(await statusOf(shop, own, transId)).toBe('expired');
  });
});

describe('a network whose accounts are read', () => {
  test('is frozen when a completed invoice loses its payment, and neither settles nor covers until it is unfrozen', async () => {
    const own = await openSolanaStore(shop);
    const lost = await openQuote(shop, own);
    const hash = await pay(shop, lost.quote);
    await settle(shop);
    expect(await statusOf(shop, own, lost.transId)).toBe('completed');
    const waiting = await openQuote(shop, own);
    await pay(shop, waiting.quote);
    produceNow(shop, 2);
    await follow(shop);
    // As if the account had been covered too early: the final view does not have it.
    await shop.database.pool.query(
      `update chain_coverage set height = (select height from transfers where tx_id = $1) - 1 where scope = $2`,
      [hash, own.wallet],
    );
    const withHole = sourceWith(own.wallet, async (whole, request) => {
      const read = await whole.readAccount(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
    });
    await follow(shop, createReader(shop, { source: withHole }));
    shop.clock.advance(11_000);
    await follow(shop, createReader(shop, { source: withHole }));
    // A list has a hole: the transaction itself is still there.
    expect(await alarmsOf(shop, lost.transId)).toEqual([]);
    const readTransactions: AccountSource['readTransactions'] = async (request) => {
      const { by, transactions } = await withHole.readTransactions(request);
      return {
        by,
        transactions: transactions.map((one) => (one.txId === hash ? { txId: hash, outcome: 'absent' } : one)),
      };
    };
    const liar = createReader(shop, { source: { ...withHole, readTransactions } });
    await follow(shop, liar);
    shop.clock.advance(11_000);
    await follow(shop, liar);
    expect(await alarmsOf(shop, lost.transId)).toEqual(['payment-reverted']);
    expect(await statusOf(shop, own, lost.transId)).toBe('completed');
    const { covered } = await accountOf(shop, own.wallet);
    await settle(shop);
    expect(await statusOf(shop, own, waiting.transId)).toBe('processing');
    expect(await accountOf(shop, own.wallet)).toMatchObject({ covered });
    await command(shop, 'chain unfreeze', { network: 'SOL', reason: 'accepted' });
    await settle(shop);
    expect(await statusOf(shop, own, waiting.transId)).toBe('completed');
    expect(await transfersOf(shop, hash)).toHaveLength(1);
  });

  test('shows its health, with the accounts that are behind', async () => {
    const { transId } = await openQuote(shop, await openSolanaStore(shop));
    await settle(shop);
    const status = async () =>
      ((await command(shop, 'chain status', {})) as { network: string; accounts?: string; frozen: boolean }[]).find(
        ({ network }) => network === 'SOL',
      );
    expect(await status()).toMatchObject({ frozen: false, accounts: expect.stringContaining(' 0 behind, 0 failing') });
    shop.node.behave({ fault: 'busy' });
    await goPast(shop, transId);
    await follow(shop);
    shop.node.behave({ fault: null });
    expect(await status()).toMatchObject({ accounts: expect.stringMatching(/^[1-9]\d* open/) });
    await settle(shop);
    await expire(shop);
  });

  test('may be given up: its invoices expire once they have ended, not before, also at accounts nobody ever read', async () => {
    const unread = await openQuote(shop, await openSolanaStore(shop));
    const read = await openQuote(shop, store);
    await shop.database.pool.query('delete from account_demands where account = $1', [unread.quote.toAddress]);
    await settle(shop);
    await command(shop, 'chain retire', { network: 'SOL', reason: 'the network has ended' });
    await expire(shop);
    expect(await factsOf(shop, read.transId)).toBeDefined();
    expect(await statusOf(shop, store, read.transId)).toBe('waiting');
    await goPast(shop, read.transId);
    await expire(shop);
    expect(await statusOf(shop, store, read.transId)).toBe('expired');
    expect(await eventsOf(shop, unread.transId)).toMatchObject([{ event: 'invoice.expired' }]);
    await mineNow(shop, 'BSC');
    expect(await followAccounts(shop.follower)).toBe('idle');
    expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
  });
});
