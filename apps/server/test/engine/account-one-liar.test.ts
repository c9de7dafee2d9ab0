import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import type { AccountTransfer } from '../../src/sources/account-source.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, statusOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { unitsOf } from '../../rig/invoices/pay-invoice.ts';
import type { Open, SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  goPast,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
} from '../../rig/invoices/solana-fixture.ts';

/** Harm that one of two providers can do at an account, while the other answers now and then. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  doors.push(await engine.node.openDoor(), await engine.node.openDoor());
});
afterAll(() => engine.close());
beforeEach(async () => {
  for (const door of doors) door.behave({ fault: null });
  store = await openSolanaStore(engine);
});

const SILENT_MS = 61_000;

type Liar = {
  by: 0 | 1;
  /** Transactions that the liar's lists lack. */
  unlisted: string[];
  /** Changes the liar's answers for single transactions. */
  change: (transfer: AccountTransfer) => AccountTransfer;
  /** Whether the liar's lists are changed in the same way. */
  changesLists?: boolean;
};

function readerWith(liar: Liar): AccountFollower {
  const reader = createReader(engine, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const liarName = source.providers[liar.by];
  return {
    ...reader,
    source: {
      ...source,
      readAccount: async (request) => {
        const read = await source.readAccount(request);
        // No provider has to show transfers before the range.
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
    },
  };
}

const unchanged = (transfer: AccountTransfer) => transfer;

/** Makes blocks past the end of an invoice, so that it expires as soon as they are covered. */
async function endWith({ transId }: Open): Promise<void> {
  finalizeNow(engine);
  await goPast(engine, transId);
  finalizeNow(engine);
}

async function pollAndExpire(reader: AccountFollower): Promise<void> {
  for (let poll = 0; poll < 4; poll += 1) {
    await follow(engine, reader);
    await ageReads(engine);
    await expire(engine);
  }
}

test('a payment that one list lacks does not expire because the other provider did not answer for a moment', async () => {
  const open = await openQuote(engine, store);
  const liar: Liar = { by: 0, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  await follow(engine, reader);
  liar.unlisted.push(await pay(engine, open.quote));
  doors[1]?.behave({ fault: 'html' });
  await endWith(open);
  await pollAndExpire(reader);
  expect(await statusOf(engine, store, open.transId)).toBe('waiting');
  doors[1]?.behave({ fault: null });
  await pollAndExpire(reader);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
});

test('a payment that one list lacks does not expire where each provider has read a part first', async () => {
  const open = await openQuote(engine, store);
  const liar: Liar = { by: 1, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  await follow(engine, reader);
  liar.unlisted.push(await pay(engine, open.quote));
  // The first provider is down while the other reads the payment; then it continues.
  doors[0]?.behave({ fault: 'html' });
  finalizeNow(engine);
  for (let poll = 0; poll < 2; poll += 1) await follow(engine, reader);
  doors[0]?.behave({ fault: null });
  await endWith(open);
  await pollAndExpire(reader);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
});

test('a payment that one provider puts below coverage, as another than it was, completes nothing', async () => {
  const [unpaid, paid] = [await openQuote(engine, store), await openQuote(engine, store)];
  const liar: Liar = { by: 1, unlisted: [], change: unchanged };
  const reader = readerWith(liar);
  for (let poll = 0; poll < 3; poll += 1) {
    finalizeNow(engine);
    await follow(engine, reader);
  }
  const { covered } = await accountOf(engine, store.wallet);
  const units = unitsOf(unpaid.quote);
  liar.change = (transfer) => ({ ...transfer, height: covered, blockHash: `${covered}`, units });
  await pay(engine, paid.quote);
  finalizeNow(engine);
  for (let poll = 0; poll < 3; poll += 1) {
    await follow(engine, reader);
    await ageReads(engine);
    engine.clock.advance(SILENT_MS);
  }
  expect(await statusOf(engine, store, unpaid.transId)).not.toBe('completed');
});

test('a payment that one provider reads again with another amount completes nothing', async () => {
  const [unpaid, paid] = [await openQuote(engine, store), await openQuote(engine, store)];
  const units = unitsOf(unpaid.quote);
  const reader = readerWith({ by: 1, unlisted: [], change: (one) => ({ ...one, units }), changesLists: true });
  await follow(engine, reader);
  await pay(engine, paid.quote);
  finalizeNow(engine);
  for (let poll = 0; poll < 4; poll += 1) {
    await follow(engine, reader);
    await ageReads(engine);
    engine.clock.advance(SILENT_MS);
  }
  expect(await statusOf(engine, store, unpaid.transId)).not.toBe('completed');
  expect(await alarmsOf(engine, 'chain:SOL')).toContain('transfer-doubted');
});
