import type { Address, Hex } from 'viem';
import { inTransaction } from '../../src/db/transaction.ts';
import { freezeChain } from '../../src/chains/chain-sql.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { findToken } from '../../src/networks/network.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { payByBatch } from '../chains/evm/payment.ts';
import { headerAt, reorg } from '../chains/evm/reorg.ts';
import type { SignedTransaction } from '../chains/evm/signed.ts';
import { sendSigned, signPayment } from '../chains/evm/signed.ts';
import { tryCancel } from '../invoices/cancel-invoice.ts';
import type { EngineFixture, FollowerChange } from '../invoices/engine-fixture.ts';
import { chainOf, fail, followerOf, openPayableStore, settlingBlocks } from '../invoices/engine-fixture.ts';
import { ageReads, follow, mineNow } from '../invoices/follow-network.ts';
import { standingOf } from '../invoices/look-up.ts';
import { newInvoice, select, unitsOf } from '../invoices/pay-invoice.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { Interleaving } from './interleave.ts';

/** A chain with two paid invoices, a reader that can be paused while it reads them, and actors that interfere. */

export const NETWORK = 'ETH';

/** Read blocks below the payments: a fork reaches below the cursor. */
const COMMON_BLOCKS = 3;
/** Confirmations that a payment has after a fork: fewer than the tier for small sums requires. */
const SHALLOW = 4;
/** More transfers than one commit records. */
const FLOOD = 1_050;
/** An amount that no quote of this world asks for. */
const FLOOD_UNITS = 1_000_000_000n;
const MAX_STEPS = 50;

/** Points whose range must take several commits. */
const FLOODED: ReadonlySet<string> = new Set(['head:before-commit', 'head:piece']);

export type Paid = { store: TestStore; transId: string; address: string; signed: SignedTransaction };

export type ChainWorld = {
  engine: EngineFixture;
  /** Height of the highest block that no fork of this world replaces. */
  commonHeight: number;
  /** A payment that first reads show. A fork moves it to a shallow block. Absent where nothing is paid. */
  seen: Paid | undefined;
  /** A payment that a misled first read lacks. A fork drops it. */
  missed: Paid | undefined;
  /** Payments that actors made. */
  more: Paid[];
};

const node = (engine: EngineFixture) => chainOf(engine, NETWORK).anvil;

async function payNew(engine: EngineFixture, store: TestStore, payer: number): Promise<Paid> {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, NETWORK);
  const { network } = chainOf(engine, NETWORK).follower.source;
  const token = (findToken(network, quote.token)?.contract ?? fail()) as Address;
  const to = quote.toAddress as Address;
  const signed = await signPayment(node(engine), { payer, to, units: unitsOf(quote), token });
  await sendSigned(node(engine), signed);
  return { store, transId, address: quote.toAddress, signed };
}

/** Sends enough transfers to an address that a read is recorded in several commits. */
async function flood(engine: EngineFixture, { address }: Paid): Promise<void> {
  const { network } = chainOf(engine, NETWORK).follower.source;
  const token = (findToken(network, 'USDT')?.contract ?? fail()) as Address;
  const to = address as Address;
  const payments = Array.from({ length: FLOOD }, (_unused, place) => ({
    token,
    to,
    units: FLOOD_UNITS + BigInt(place),
  }));
  await payByBatch(node(engine), payments);
  await mineNow(engine, NETWORK);
}

export async function openChainWorld(engine: EngineFixture, point: string, isQuiet: boolean): Promise<ChainWorld> {
  const store = await openPayableStore(engine);
  await mineNow(engine, NETWORK, COMMON_BLOCKS);
  await follow(engine, NETWORK);
  const { height } = await standingOf(engine, NETWORK);
  const seen = isQuiet ? undefined : await payNew(engine, store, 1);
  const missed = isQuiet ? undefined : await payNew(engine, store, 2);
  await mineNow(engine, NETWORK);
  if (seen && FLOODED.has(point)) await flood(engine, seen);
  await mineNow(engine, NETWORK, settlingBlocks(chainOf(engine, NETWORK).follower.source.network));
  return { engine, commonHeight: height - 1, seen, missed, more: [] };
}

/** A reader of the node itself, as another process has it. */
function honestReader({ engine }: ChainWorld, change: FollowerChange = {}): Follower {
  return followerOf(engine, NETWORK, [node(engine).url], change);
}

/** A source whose logs lack one transaction, and that does not have the receipt of another. */
function misled(source: ChainSource, { seen, missed }: ChainWorld): ChainSource {
  return {
    ...source,
    read: async (request) => {
      const read = await source.read(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== missed?.signed.hash) };
    },
    receipts: async (txIds, pass) =>
      (await source.receipts(txIds, pass)).map((receipt) => (receipt?.txId === seen?.signed.hash ? null : receipt)),
  };
}

/** Replaces all blocks above the common ones: `seen` moves to a shallow block, and `missed` is dropped. */
async function fork({ engine, commonHeight, seen }: ChainWorld): Promise<void> {
  const head = await headerAt(node(engine), 'latest');
  const depth = head.number - commonHeight;
  const again = seen ? [{ rawTransaction: seen.signed.rawTransaction, offset: depth - SHALLOW }] : [];
  await reorg(node(engine), depth, again);
}

async function readHeads(follower: Follower, isDone: () => boolean = () => false): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS && !isDone(); steps += 1) {
    if ((await followHead(follower)) === 'idle') return;
  }
}

/**
 * Lets a reader work until it has been at a point. Only coverage settles the payments of a reader that is to reach a
 * point of a tier; otherwise their receipts would settle them first.
 */
export async function readUntil(
  world: ChainWorld,
  point: string,
  { failpoint, isReached }: Pick<Interleaving, 'failpoint' | 'isReached'>,
): Promise<void> {
  const honest = honestReader(world, { failpoint });
  const [kind] = point.split(':');
  const reader = kind === 'tier' ? { ...honest, source: misled(honest.source, world) } : honest;
  await readHeads(reader, isReached);
  if (kind === 'head') return;
  if (kind === 'rewind') {
    await fork(world);
    await readHeads(reader, isReached);
    return;
  }
  await ageReads(world.engine.database, NETWORK);
  for (let steps = 0; steps < MAX_STEPS && !isReached(); steps += 1) {
    if ((await followTiers(reader)) !== 'worked') return;
  }
}

const refuse = () => Promise.reject(new SourceError('unavailable', 'It has no logs.'));

/** What else may happen while a reader is between its read and its commit. */
export const CHAIN_ACTORS = {
  'a rewind': async (world: ChainWorld) => {
    await fork(world);
    await readHeads(honestReader(world));
  },
  'a second worker': async (world: ChainWorld) => {
    await mineNow(world.engine, NETWORK);
    await follow(world.engine, NETWORK, honestReader(world));
  },
  'a prover that is refused logs': async (world: ChainWorld) => {
    const honest = honestReader(world);
    const prover = { ...honest, source: { ...honest.source, read: refuse } };
    await followHead(prover);
    await followTiers(prover);
  },
  'a freeze': async ({ engine }: ChainWorld) => {
    const at = new Date(engine.clock.nowMs());
    await inTransaction(engine.as('worker'), (tx) => freezeChain(tx, NETWORK, at, 'test'));
  },
  'a cancel': async ({ engine, seen, missed }: ChainWorld) => {
    for (const paid of [seen, missed]) if (paid) await tryCancel(engine, paid.store, paid.transId);
  },
  'a new wallet': async (world: ChainWorld) => {
    const store = await openPayableStore(world.engine);
    world.more.push(await payNew(world.engine, store, 3));
    await mineNow(world.engine, NETWORK);
  },
} as const satisfies Record<string, (world: ChainWorld) => Promise<void>>;

/** The block that holds a payment now, as the node shows it; undefined while none does. */
export async function blockOf({ engine }: ChainWorld, { signed }: Paid): Promise<number | undefined> {
  type Receipt = { blockNumber: Hex } | null;
  const receipt = await node(engine).rpc<Receipt>('eth_getTransactionReceipt', [signed.hash]);
  return receipt ? Number(receipt.blockNumber) : undefined;
}

/** Hash of the node's block at a height; undefined above its head. */
export async function hashAt({ engine }: ChainWorld, height: number): Promise<string | undefined> {
  type Block = { hash: Hex } | null;
  const block = await node(engine).rpc<Block>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
  return block?.hash;
}
