import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { recordTransfers, revertTransfersAbove } from '../../src/transfers/transfer-sql.ts';
import { payByBatch } from '../chain/payment.ts';
import { reorg } from '../chain/reorg.ts';
import { canonicalToken } from '../chain/token.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  ageReads,
  chainOf,
  command,
  decideAgain,
  factsOf,
  follow,
  followChain,
  followerOf,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  settle,
  standingOf,
  statusOf,
  transfersOf,
  unitsOf,
} from './shop.ts';

/** Who must agree before a payment counts, or counts no more. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
  // Its first use mines a block of its own.
  await payByBatch(chainOf(shop, 'BSC').anvil, []);
});
afterAll(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(10_000);
  for (const network of ['BSC', 'ETH']) await settle(shop, network);
});

const MINUTE_MS = 60_000;

type Lies = Partial<Pick<ChainSource, 'read' | 'readBlocks' | 'receipts'>>;

/** A reader whose providers answer some questions otherwise than they should. */
function lyingReader(network: string, providers: number, lie: (honest: ChainSource) => Lies): Follower {
  const { anvil } = chainOf(shop, network);
  const follower = followerOf(
    shop,
    network,
    Array.from({ length: providers }, () => anvil.url),
  );
  follower.source = { ...follower.source, ...lie(follower.source) };
  return follower;
}

async function openPaid(network: string): Promise<{ transId: string; hash: string }> {
  const transId = await newInvoice(shop, store);
  return { transId, hash: await pay(shop, await select(shop, transId, network)) };
}

const rowsOf = async (sql: string, values: unknown[]) => (await shop.database.pool.query(sql, values)).rows;

test('a receipt proves nothing in another block than the header that we hold at its height', async () => {
  const { transId, hash } = await openPaid('ETH');
  await mineNow(shop, 'ETH', 20);
  const { follower } = chainOf(shop, 'ETH');
  await followHead(follower);
  const change = `update chain_blocks b set hash = $2 from transfers t where t.tx_id = $1 and b.network = t.network and b.height = t.height
    returning t.block_hash`;
  const [stood] = await rowsOf(change, [hash, `0x${'6'.repeat(64)}`]);
  await followTiers(follower);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  await rowsOf(change, [hash, stood.block_hash]);
  await followChain(follower);
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('where a first read ended, and who read it, is kept until every tier has covered it, not only the shallowest', async () => {
  const { follower } = chainOf(shop, 'ETH');
  const ends: number[] = [];
  for (let read = 0; read < 3; read += 1) {
    await mineNow(shop, 'ETH', 10);
    await followHead(follower);
    ends.push((await standingOf(shop, 'ETH')).height);
  }
  await ageReads(shop.database, 'ETH');
  await followTiers(follower);
  const { covered } = await standingOf(shop, 'ETH');
  const [first = 0] = ends;
  expect(covered['conf:12']).toBeGreaterThan(first);
  expect(covered['conf:64']).toBeLessThan(first);
  const kept = await rowsOf(`select height::integer from chain_reads where network = 'ETH' order by height`, []);
  expect(kept.map(({ height }) => height)).toEqual(expect.arrayContaining(ends));
});

test('a tier that a policy gains is covered from where all others are: what was quoted by it meanwhile is not settled', async () => {
  const { transId } = await openPaid('ETH');
  await mineNow(shop, 'ETH', 4);
  await followHead(chainOf(shop, 'ETH').follower);
  // A newer API has quoted at a tier that the worker's coverage does not know yet.
  await rowsOf(`delete from chain_coverage where network = 'ETH' and tier = 'conf:12'`, []);
  const renewed = followerOf(shop, 'ETH', [chainOf(shop, 'ETH').anvil.url]);
  await followHead(renewed);
  await decideAgain(shop);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  const { covered } = await standingOf(shop, 'ETH');
  expect(covered['conf:12']).toBe(Math.min(...Object.values(covered)));
  await mineNow(shop, 'ETH', 12);
  await followChain(renewed);
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('a payment that one provider denies and another proves stays, and its network goes on', async () => {
  const { transId, hash } = await openPaid('BSC');
  const follower = lyingReader('BSC', 2, ({ read, receipts, providers }) => ({
    read: async (request) => {
      const found = await read(request);
      const isSecond = typeof request.pass === 'object';
      return isSecond ? { ...found, transfers: found.transfers.filter(({ txId }) => txId !== hash) } : found;
    },
    receipts: async (txIds, pass) => {
      const isHonest = typeof pass === 'object' && 'only' in pass && pass.only === providers[1];
      return (await receipts(txIds, pass)).map((one) =>
        one && !isHonest ? Object.assign({}, one, { succeeded: false }) : one,
      );
    },
  }));
  await mineNow(shop, 'BSC', 20);
  await follow(shop, 'BSC', follower);
  expect(await statusOf(shop, store, transId)).toBe('completed');
  for (let minute = 0; minute < 3; minute += 1) {
    shop.clock.advance(MINUTE_MS);
    await follow(shop, 'BSC', follower);
  }
  expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true, trans_id: transId }]);
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: false });
});

test('a tier that is refused keeps no other one from being covered', async () => {
  const before = await standingOf(shop, 'ETH');
  await mineNow(shop, 'ETH', 40);
  const shallow = before.covered['conf:12'] ?? 0;
  const follower = lyingReader('ETH', 1, ({ readBlocks }) => ({
    readBlocks: async (request) => {
      if (request.from > shallow) throw new SourceError('inconsistent', 'It does not say.');
      return readBlocks(request);
    },
  }));
  follower.tierRanges.set('conf:64', 10);
  await follow(shop, 'ETH', follower);
  const { covered } = await standingOf(shop, 'ETH');
  expect(covered['conf:12']).toBe(shallow);
  expect(covered['conf:64']).toBe((before.covered['conf:64'] ?? 0) + 40);
});

const FLOOD = 1_050;

function dieBetweenPieces(name: string): void {
  if (name === 'head:piece') throw new Error('It dies here.');
}

test('what a reader wrote of a range before it died is taken back when the blocks were replaced meanwhile', async () => {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'BSC');
  const to = quote.toAddress as `0x${string}`;
  const { anvil } = chainOf(shop, 'BSC');
  const token = canonicalToken(56, 'USDT').address;
  const units = (place: number) => unitsOf(quote) + BigInt(place);
  await settle(shop, 'BSC');
  const hash = await payByBatch(
    anvil,
    Array.from({ length: FLOOD }, (_unused, place) => ({ token, to, units: units(place) })),
  );
  await mineNow(shop, 'BSC', 8);
  const dying = followerOf(shop, 'BSC', [anvil.url], { failpoint: dieBetweenPieces });
  await expect(followHead(dying)).rejects.toThrow('It dies here.');
  expect(await statusOf(shop, store, transId)).toBe('processing');
  await reorg(anvil, 8);
  await followHead(chainOf(shop, 'BSC').follower);
  const standing = (await transfersOf(shop, hash)).filter(({ canonical }) => canonical);
  expect(standing).toEqual([]);
  expect(await statusOf(shop, store, transId)).toBe('waiting');
});

test('an invoice whose attached transfer came back as another is told so, and waits again', async () => {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'ETH');
  const hash = await pay(shop, quote, unitsOf(quote) - 1n);
  await mineNow(shop, 'ETH', 6);
  await follow(shop, 'ETH');
  await command(shop, 'inbox attach', { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' });
  expect(await statusOf(shop, store, transId)).toBe('processing');
  const { source, apply } = chainOf(shop, 'ETH').follower;
  const [{ height }] = await rowsOf('select height::integer from transfers where tx_id = $1', [hash]);
  const { transfers, blocks } = await source.read({
    from: height,
    to: height,
    native: false,
    headers: 'all',
    pass: 'first',
  });
  const shown = transfers.find(({ txId }) => txId === hash);
  const [block] = blocks;
  if (!shown || !block) throw new Error('It is not there.');
  const other = { ...shown, to: quote.toAddress, units: shown.units + 5n, blockTime: block.time };
  await inTransaction(shop.as('worker'), async (tx) => {
    await revertTransfersAbove(tx, 'ETH', height - 1);
    const { changed, orphaned } = await recordTransfers(tx, 'ETH', [other], new Date(shop.clock.nowMs()));
    expect(orphaned).toEqual([(await factsOf(shop, transId)).id]);
    await apply(tx, 'ETH', changed, orphaned);
  });
  expect(await statusOf(shop, store, transId)).toBe('waiting');
});
