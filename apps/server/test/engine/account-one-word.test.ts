import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import type { AccountTransfer } from '../../src/sources/account-source.ts';
import type { SolanaDoor } from '../chain/solana-node.ts';
import type { TestStore } from '../harness.ts';
import { alarmsOf, statusOf, transfersOf } from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
import {
  ageReads,
  createReader,
  finalizeNow,
  follow,
  openQuote,
  openSolanaShop,
  openSolanaStore,
  pay,
} from './solana-shop.ts';

/** Of two providers none settles anything at an account by its word alone. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  shop = await openSolanaShop();
  doors.push(await shop.node.openDoor(), await shop.node.openDoor());
});
afterAll(() => shop.close());
beforeEach(async () => {
  store = await openSolanaStore(shop);
});

const MINUTE_MS = 61_000;
/** Newer than any that is announced. */
const UNKNOWN_VERSION = 9;

type Hidden = { txIds: string[]; from: 'first' | 'second' | undefined };

/** A transaction that only one provider shows, in its list and by itself, as if it had made it up. */
function readerWithLiar(hidden: Hidden): AccountFollower {
  const reader = createReader(shop, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const isHidden = (txId: string, by: string) =>
    hidden.from !== undefined &&
    hidden.txIds.includes(txId) &&
    by === source.providers[hidden.from === 'first' ? 0 : 1];
  reader.source = {
    ...source,
    readAccount: async (request) => {
      const read = await source.readAccount(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => !isHidden(txId, read.by)) };
    },
    readTransactions: async (request) => {
      const { by, transactions } = await source.readTransactions(request);
      const answers = transactions.map((one) =>
        isHidden(one.txId, by) ? ({ txId: one.txId, outcome: 'absent' } as const) : one,
      );
      return { by, transactions: answers };
    },
  };
  return reader;
}

async function followForMinutes(reader: AccountFollower, minutes = 4): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await follow(shop, reader);
    await ageReads(shop);
    shop.clock.advance(MINUTE_MS);
  }
}

test.each([
  ['first', 'second'],
  ['second', 'first'],
] as const)('a payment that only the %s provider shows does not complete its invoice', async (_shows, hides) => {
  const [open, other] = [await openQuote(shop, store), await openQuote(shop, store)];
  const hidden: Hidden = { txIds: [], from: hides };
  const reader = readerWithLiar(hidden);
  await follow(shop, reader);
  hidden.txIds.push(await pay(shop, open.quote));
  await pay(shop, other.quote);
  finalizeNow(shop);
  await followForMinutes(reader);
  expect(await statusOf(shop, store, open.transId)).not.toBe('completed');
  expect(await statusOf(shop, store, other.transId)).toBe('completed');
  expect(await alarmsOf(shop, 'chain:SOL')).toContain('transfer-doubted');
  hidden.from = undefined;
  await followForMinutes(reader);
  expect(await statusOf(shop, store, open.transId)).toBe('completed');
});

test('what one provider lists and another shows counts as read by the one that showed it', async () => {
  const open = await openQuote(shop, store);
  const reader = createReader(shop, { urls: doors.map(({ url }) => url) });
  await follow(shop, reader);
  const [first, second] = reader.source.providers;
  const hash = await pay(shop, open.quote);
  doors[0]?.behave({ versions: new Map([[hash, UNKNOWN_VERSION]]) });
  finalizeNow(shop);
  await follow(shop, reader);
  doors[0]?.behave({ versions: new Map() });
  const { rows } = await shop.database.pool.query('select read_by from transfers where tx_id = $1', [hash]);
  expect(rows).toEqual([{ read_by: second }]);
  await followForMinutes(reader, 2);
  expect(await statusOf(shop, store, open.transId)).toBe('completed');
  const proven = await shop.database.pool.query('select proven_by from transfers where tx_id = $1', [hash]);
  expect(proven.rows).toEqual([{ proven_by: first }]);
  expect(await transfersOf(shop, hash)).toHaveLength(1);
});

type Told = { height?: number; blockHash?: string; units?: bigint };

/** A reader whose second provider tells of a payment's place or amount otherwise, in its list and by itself. */
function readerWithTeller(told: { txId: string; otherwise: Told }): AccountFollower {
  const reader = createReader(shop, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const tell = (transfers: readonly AccountTransfer[], by: string) =>
    transfers.map((one) =>
      one.txId === told.txId && by === source.providers[1] ? { ...one, ...told.otherwise } : one,
    );
  reader.source = {
    ...source,
    readAccount: async (request) => {
      const read = await source.readAccount(request);
      return { ...read, transfers: tell(read.transfers, read.by) };
    },
    readTransactions: async (request) => {
      const { by, transactions } = await source.readTransactions(request);
      for (const one of transactions) if (one.outcome === 'read') one.transfers = tell(one.transfers, by);
      return { by, transactions };
    },
  };
  return reader;
}

const provenBy = async (txId: string) => {
  const { rows } = await shop.database.pool.query('select proven_by from transfers where tx_id = $1', [txId]);
  return rows.map((row: { proven_by: string | null }) => row.proven_by);
};

test.each([
  ['in another block', { blockHash: 'elsewhere' }],
  ['with another amount in the same block', { units: 1n }],
])('a payment that the prover shows %s is not proven by that', async (_how, otherwise) => {
  const open = await openQuote(shop, store);
  const told: { txId: string; otherwise: Told } = { txId: '', otherwise };
  const reader = readerWithTeller(told);
  await follow(shop, reader);
  told.txId = await pay(shop, open.quote);
  finalizeNow(shop);
  await follow(shop, reader);
  expect(await provenBy(told.txId)).toEqual([null]);
  expect(await statusOf(shop, store, open.transId)).not.toBe('completed');
  told.otherwise = {};
  await followForMinutes(reader);
  expect(await statusOf(shop, store, open.transId)).toBe('completed');
});
