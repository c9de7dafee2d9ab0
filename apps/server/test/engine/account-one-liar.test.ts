import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import type { AccountTransfer } from '../../src/sources/account-source.ts';
import type { SolanaDoor } from '../chain/solana-node.ts';
import type { TestStore } from '../harness.ts';
import { alarmsOf, expire, statusOf, unitsOf } from './shop.ts';
import type { Open, SolanaShop } from './solana-shop.ts';
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
} from './solana-shop.ts';

/** What one of two providers can bring about at an account, while the other answers now and then. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  shop = await openSolanaShop();
  doors.push(await shop.node.openDoor(), await shop.node.openDoor());
});
afterAll(() => shop.close());
beforeEach(async () => {
  for (const door of doors) door.behave({ fault: null });
  store = await openSolanaStore(shop);
});

const SILENT_MS = 61_000;

type Liar = {
  by: 0 | 1;
  /** Transactions that its lists lack. */
  unlisted: string[];
  /** What its answers for single transactions are turned into. */
  change: (transfer: AccountTransfer) => AccountTransfer;
  /** Its lists are changed so, too. */
  changesLists?: boolean;
};

function readerWith(liar: Liar): AccountFollower {
  const reader = createReader(shop, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const liarName = source.providers[liar.by];
  reader.source = {
    ...source,
    readAccount: async (request) => {
      const read = await source.readAccount(request);
      // What lies before the range is nobody's duty to show.
      const isShown = ({ txId, height }: AccountTransfer) =>
        height > request.after.height && (read.by !== liarName || !liar.unlisted.includes(txId));
      const change = liar.changesLists === true && read.by === liarName ? liar.change : unchanged;
      return { ...read, transfers: read.transfers.filter(isShown).map(change) };
    },
    readTransactions: async (request) => {
      const { by, transactions } = await source.readTransactions(request);
      const answers = transactions.map((one) =>
        one.outcome === 'read' && by === liarName
          ? { txId: one.txId, outcome: one.outcome, transfers: one.transfers.map(liar.change) }
          : one,
      );
      return { by, transactions: answers };
    },
  };
  return reader;
}

const unchanged = (transfer: AccountTransfer) => transfer;

/** Blocks past the end of an invoice, so that whoever covers them lets it expire. */
async function endWith({ transId }: Open): Promise<void> {
  finalizeNow(shop);
  await goPast(shop, transId);
  finalizeNow(shop);
}

async function pollAndExpire(reader: AccountFollower): Promise<void> {
  for (let poll = 0; poll < 4; poll += 1) {
    await follow(shop, reader);
    await ageReads(shop);
    await expire(shop);
  }
}

test('a payment that one list lacks does not expire because the other provider did not answer for a moment', async () => {
  const open = await openQuote(shop, store);
  const liar: Liar = { by: 0, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  await follow(shop, reader);
  liar.unlisted.push(await pay(shop, open.quote));
  doors[1]?.behave({ fault: 'html' });
  await endWith(open);
  await pollAndExpire(reader);
  expect(await statusOf(shop, store, open.transId)).toBe('waiting');
  doors[1]?.behave({ fault: null });
  await pollAndExpire(reader);
  expect(await statusOf(shop, store, open.transId)).toBe('completed');
});

test('a payment that one list lacks does not expire where each provider has read a part first', async () => {
  const open = await openQuote(shop, store);
  const liar: Liar = { by: 1, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  await follow(shop, reader);
  liar.unlisted.push(await pay(shop, open.quote));
  // The first is away while the other reads what was paid; then it reads on.
  doors[0]?.behave({ fault: 'html' });
  finalizeNow(shop);
  for (let poll = 0; poll < 2; poll += 1) await follow(shop, reader);
  doors[0]?.behave({ fault: null });
  await endWith(open);
  await pollAndExpire(reader);
  expect(await statusOf(shop, store, open.transId)).toBe('completed');
});

test('a payment that one provider puts below coverage, as another than it was, completes nothing', async () => {
  const [unpaid, paid] = [await openQuote(shop, store), await openQuote(shop, store)];
  const liar: Liar = { by: 1, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  for (let poll = 0; poll < 3; poll += 1) {
    finalizeNow(shop);
    await follow(shop, reader);
  }
  const { covered } = await accountOf(shop, store.wallet);
  const units = unitsOf(unpaid.quote);
  liar.change = (transfer) => ({ ...transfer, height: covered, blockHash: `${covered}`, units });
  await pay(shop, paid.quote);
  finalizeNow(shop);
  for (let poll = 0; poll < 3; poll += 1) {
    await follow(shop, reader);
    await ageReads(shop);
    shop.clock.advance(SILENT_MS);
  }
  expect(await statusOf(shop, store, unpaid.transId)).not.toBe('completed');
});

test('a payment that one provider reads again with another amount completes nothing', async () => {
  const [unpaid, paid] = [await openQuote(shop, store), await openQuote(shop, store)];
  const units = unitsOf(unpaid.quote);
  const reader = readerWith({ by: 1, unlisted: [], change: (one) => ({ ...one, units }), changesLists: true });
  await follow(shop, reader);
  await pay(shop, paid.quote);
  finalizeNow(shop);
  for (let poll = 0; poll < 4; poll += 1) {
    await follow(shop, reader);
    await ageReads(shop);
    shop.clock.advance(SILENT_MS);
  }
  expect(await statusOf(shop, store, unpaid.transId)).not.toBe('completed');
  expect(await alarmsOf(shop, 'chain:SOL')).toContain('transfer-doubted');
});
