import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import type { AccountTransfer } from '../../src/sources/account-source.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  ageReads,
  createReader,
  finalizeNow,
  follow,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
} from '../../rig/invoices/solana-fixture.ts';

/** Neither of two providers settles anything at an account alone. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
const doors: SolanaDoor[] = [];
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  doors.push(await engine.node.openDoor(), await engine.node.openDoor());
});
afterAll(() => engine.close());
beforeEach(async () => {
  store = await openSolanaStore(engine);
});

const MINUTE_MS = 61_000;
/** Transaction version newer than any announced one. */
const UNKNOWN_VERSION = 9;

type Hidden = { txIds: string[]; from: 'first' | 'second' | undefined };

/** A reader with a transaction that only one provider shows, in its list and singly, as if it were invented. */
function readerWithLiar(hidden: Hidden): AccountFollower {
  const reader = createReader(engine, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const isHidden = (txId: string, by: string) =>
    hidden.from !== undefined &&
    hidden.txIds.includes(txId) &&
    by === source.providers[hidden.from === 'first' ? 0 : 1];
  return {
    ...reader,
    source: {
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
    },
  };
}

async function followForMinutes(reader: AccountFollower, minutes = 4): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await follow(engine, reader);
    await ageReads(engine);
    engine.clock.advance(MINUTE_MS);
  }
}

test.each([
  ['first', 'second'],
  ['second', 'first'],
] as const)('a payment that only the %s provider shows does not complete its invoice', async (_shows, hides) => {
  const [open, other] = [await openQuote(engine, store), await openQuote(engine, store)];
  const hidden: Hidden = { txIds: [], from: hides };
  const reader = readerWithLiar(hidden);
  await follow(engine, reader);
  hidden.txIds.push(await pay(engine, open.quote));
  await pay(engine, other.quote);
  finalizeNow(engine);
  await followForMinutes(reader);
  expect(await statusOf(engine, store, open.transId)).not.toBe('completed');
  expect(await statusOf(engine, store, other.transId)).toBe('completed');
  expect(await alarmsOf(engine, 'chain:SOL')).toContain('transfer-doubted');
  hidden.from = undefined;
  await followForMinutes(reader);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
});

test('what one provider lists and another shows counts as read by the one that showed it', async () => {
  const open = await openQuote(engine, store);
  const reader = createReader(engine, { urls: doors.map(({ url }) => url) });
  await follow(engine, reader);
  const [first, second] = reader.source.providers;
  const hash = await pay(engine, open.quote);
  doors[0]?.behave({ versions: new Map([[hash, UNKNOWN_VERSION]]) });
  finalizeNow(engine);
  await follow(engine, reader);
  doors[0]?.behave({ versions: new Map() });
  const { rows } = await engine.database.pool.query('select read_by from transfers where tx_id = $1', [hash]);
  expect(rows).toEqual([{ read_by: second }]);
  await followForMinutes(reader, 2);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
  const proven = await engine.database.pool.query('select proven_by from transfers where tx_id = $1', [hash]);
  expect(proven.rows).toEqual([{ proven_by: first }]);
  expect(await transfersOf(engine, hash)).toHaveLength(1);
});

type Told = { height?: number; blockHash?: string; units?: bigint };

/** A reader whose second provider shows a payment with another position or amount, in its list and singly. */
function readerWithTeller(told: { txId: string; otherwise: Told }): AccountFollower {
  const reader = createReader(engine, { urls: doors.map(({ url }) => url) });
  const { source } = reader;
  const tell = (transfers: readonly AccountTransfer[], by: string) =>
    transfers.map((one) =>
      one.txId === told.txId && by === source.providers[1] ? { ...one, ...told.otherwise } : one,
    );
  return {
    ...reader,
    source: {
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
    },
  };
}

const provenBy = async (txId: string) => {
  const { rows } = await engine.database.pool.query('select proven_by from transfers where tx_id = $1', [txId]);
  return rows.map((row: { proven_by: string | null }) => row.proven_by);
};

test.each([
  ['in another block', { blockHash: 'elsewhere' }],
  ['with another amount in the same block', { units: 1n }],
])('a payment that the prover shows %s is not proven by that', async (_how, otherwise) => {
  const open = await openQuote(engine, store);
  const told: { txId: string; otherwise: Told } = { txId: '', otherwise };
  const reader = readerWithTeller(told);
  await follow(engine, reader);
  told.txId = await pay(engine, open.quote);
  finalizeNow(engine);
  await follow(engine, reader);
  expect(await provenBy(told.txId)).toEqual([null]);
  expect(await statusOf(engine, store, open.transId)).not.toBe('completed');
  told.otherwise = {};
  await followForMinutes(reader);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
});

test('a payment that lost its proof between the agreement and the commit is not covered', async () => {
  // The accounts of earlier tests would lose the proof of this one before its agreement, not after.
  await engine.database.pool.query(`update followed_accounts set state = 'idle', next_read_at = 'infinity'`);
  const { transId, quote } = await openQuote(engine, store);
  const hash = await pay(engine, quote);
  finalizeNow(engine);
  await follow(engine);
  await follow(engine);
  expect(await statusOf(engine, store, transId)).toBe('completed');
  const { covered } = await accountOf(engine, store.wallet);
  const reader = createReader(engine, {
    failpoint: async (name) => {
      if (name === 'account:before-cover')
        await engine.database.pool.query('update transfers set proven_at = null where tx_id = $1', [hash]);
    },
  });
  await ageReads(engine);
  await follow(engine, reader);
  expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true }]);
  expect(await accountOf(engine, store.wallet)).toMatchObject({ covered });
});
