import { inTransaction } from '../../src/db/transaction.ts';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import { readAccountState, rewindAccount, stopFollowed } from '../../src/accounts/account-sql.ts';
import { freezeChain } from '../../src/chains/chain-sql.ts';
import type { AccountSource, ChainPosition } from '../../src/sources/account-source.ts';
import { submit } from '../chains/solana/ledger.ts';
import { decodeWire } from '../chains/solana/transaction.ts';
import { tryCancel } from '../invoices/cancel-invoice.ts';
import { fail } from '../invoices/engine-fixture.ts';
import type { SolanaFixture } from '../invoices/solana-fixture.ts';
import {
  ageReads,
  createReader,
  finalizeNow,
  follow,
  openQuote,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from '../invoices/solana-fixture.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { Interleaving } from './interleave.ts';

/** A followed account with two paid invoices, a reader that can be paused while it reads them, and actors. */

export const NETWORK = 'SOL';

/** Blocks of the payments and above, which a fork replaces. */
const FORKED_BLOCKS = 2;
const MAX_ROUNDS = 8;
/** Points of first reads, which read blocks that a fork can still replace. */
export const FIRST_READS: ReadonlySet<string> = new Set([
  'account:read',
  'account:before-commit',
  'account:recorded',
  'account:in-commit',
  'account:after-commit',
]);

export type PaidAccount = { store: TestStore; transId: string; address: string; hash: string };

export type AccountWorld = {
  engine: SolanaFixture;
  /** The point at which the reader is paused. */
  point: string;
  account: string;
  /** Where the followed account was covered up to before its payments. */
  start: ChainPosition;
  /** A payment that first reads show, and the only one that a fork includes again. Absent at a quiet account. */
  seen: PaidAccount | undefined;
  /** A payment that a misled first read lacks. */
  missed: PaidAccount | undefined;
  /** Payments that actors made. */
  more: PaidAccount[];
};

async function payNew(engine: SolanaFixture, store: TestStore): Promise<PaidAccount> {
  const { transId, quote } = await openQuote(engine, store);
  return { store, transId, address: quote.toAddress, hash: await pay(engine, quote) };
}

/** Opens a world; other followed accounts are no longer read, so that none of them reaches the point first. */
export async function openAccountWorld(engine: SolanaFixture, point: string, isQuiet: boolean): Promise<AccountWorld> {
  await engine.database.pool.query(`update followed_accounts set state = 'idle', next_read_at = 'infinity'`);
  const store = await openSolanaStore(engine);
  const account = store.wallet;
  await openQuote(engine, store);
  await settle(engine);
  const start = (await readAccountState(engine.database.queries, NETWORK, account))?.covered ?? fail();
  const seen = isQuiet ? undefined : await payNew(engine, store);
  const missed = isQuiet ? undefined : await payNew(engine, store);
  produceNow(engine, FORKED_BLOCKS);
  if (!FIRST_READS.has(point)) finalizeNow(engine);
  return { engine, point, account, start, seen, missed, more: [] };
}

/** A source whose first reads lack one payment, and that calls the other one pending. */
function misled(source: AccountSource, { seen, missed }: AccountWorld): AccountSource {
  return {
    ...source,
    readAccount: async (request) => {
      const read = await source.readAccount(request);
      const isLacking = (txId: string) => request.commitment === 'confirmed' && txId === missed?.hash;
      return { ...read, transfers: read.transfers.filter(({ txId }) => !isLacking(txId)) };
    },
    readTransactions: async (request) => {
      const { transactions, by } = await source.readTransactions(request);
      return {
        by,
        transactions: transactions.map((one) =>
          one.txId === seen?.hash ? { txId: one.txId, outcome: 'pending' as const } : one,
        ),
      };
    },
  };
}

const isOfCoverage = (point: string) =>
  point === 'account:reread' || point.endsWith('cover') || point.endsWith('covered');

/**
 * Lets a reader work until it has been at a point. Only coverage settles the payments of a reader that is to reach a
 * point of a second read; otherwise proofs would settle them first.
 */
export async function readUntil(
  world: AccountWorld,
  { failpoint, isReached }: Pick<Interleaving, 'failpoint' | 'isReached'>,
): Promise<void> {
  const { engine, point } = world;
  const honest = createReader(engine, { failpoint });
  const reader: AccountFollower = isOfCoverage(point) ? { ...honest, source: misled(honest.source, world) } : honest;
  for (let rounds = 0; rounds < MAX_ROUNDS && !isReached(); rounds += 1) {
    await follow(engine, reader);
    if (!isReached()) await ageReads(engine);
  }
}

/** Simulates a reorg: the fork contains the payment in `seen` and drops the other one. */
function fork({ engine, seen }: AccountWorld): void {
  const { ledger } = engine.node;
  const kept = seen && ledger.bySignature.get(seen.hash);
  engine.node.drop(FORKED_BLOCKS, 'vanish');
  if (kept) submit(ledger, decodeWire(kept.wire));
  produceNow(engine, FORKED_BLOCKS);
}

/** What else may happen while a reader is between its read and its commit. */
export const ACCOUNT_ACTORS = {
  'a rewind': async (world: AccountWorld) => {
    const { engine, account, start, point } = world;
    if (FIRST_READS.has(point)) {
      fork(world);
      await follow(engine, createReader(engine));
      return;
    }
    await inTransaction(engine.as('worker'), (tx) => rewindAccount(tx, NETWORK, account, start));
  },
  'a second worker': async ({ engine }: AccountWorld) => {
    await settle(engine, createReader(engine));
  },
  'a freeze': async ({ engine }: AccountWorld) => {
    const at = new Date(engine.clock.nowMs());
    await inTransaction(engine.as('worker'), (tx) => freezeChain(tx, NETWORK, at, 'test'));
  },
  'a stop of the account': async ({ engine, account }: AccountWorld) => {
    const at = new Date(engine.clock.nowMs());
    await inTransaction(engine.as('worker'), (tx) => stopFollowed(tx, NETWORK, account, at, 'test'));
  },
  'a cancel': async ({ engine, seen, missed }: AccountWorld) => {
    for (const paid of [seen, missed]) if (paid) await tryCancel(engine, paid.store, paid.transId);
  },
  'a new wallet': async (world: AccountWorld) => {
    world.more.push(await payNew(world.engine, await openSolanaStore(world.engine)));
    produceNow(world.engine);
  },
} as const satisfies Record<string, (world: AccountWorld) => Promise<void>>;

/** The slot that holds a payment now; undefined while none does. */
export function slotOf({ engine }: AccountWorld, { hash }: PaidAccount): number | undefined {
  return engine.node.ledger.bySignature.get(hash)?.slot;
}

/** The highest slot that is final. */
export function finalSlot({ engine }: AccountWorld): number {
  const { slots, finalityLag } = engine.node.ledger;
  return (slots.at(-1) ?? 0) - finalityLag;
}
