import { otherAddressOf } from '../../rig/fakes/answering-provider.ts';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { recordTransfers, revertTransfersAbove } from '../../src/transfers/transfer-sql.ts';
import { payByBatch } from '../../rig/chains/evm/payment.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, decideAgain, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { chainOf, followerOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { factsOf, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Which providers must agree before a payment counts, or no longer counts. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  // The first use of the batch contract mines a block.
  await payByBatch(chainOf(engine, 'BSC').anvil, []);
});
afterAll(() => engine.close());
beforeEach(async () => {
  engine.clock.advance(10_000);
  for (const network of ['BSC', 'ETH']) await settle(engine, network);
});

const MINUTE_MS = 60_000;

type Lies = Partial<Pick<ChainSource, 'read' | 'readBlocks' | 'receipts'>>;

/** A reader whose providers answer some questions wrongly. */
function lyingReader(network: string, providers: number, lie: (honest: ChainSource) => Lies): Follower {
  const { anvil } = chainOf(engine, network);
  // A provider is known by its host.
  const urls = [anvil.url, otherAddressOf(anvil.url)];
  const follower = followerOf(engine, network, urls.slice(0, providers));
  expect(follower.source.providers).toHaveLength(providers);
  return { ...follower, source: { ...follower.source, ...lie(follower.source) } };
}

async function openPaid(network: string): Promise<{ transId: string; hash: string }> {
  const transId = await newInvoice(engine, store);
  return { transId, hash: await pay(engine, await select(engine, transId, network)) };
}

const rowsOf = async (sql: string, values: unknown[]) => (await engine.database.pool.query(sql, values)).rows;

test('a receipt proves nothing in another block than the header that we hold at its height', async () => {
  const { transId, hash } = await openPaid('ETH');
  await mineNow(engine, 'ETH', 20);
  const { follower } = chainOf(engine, 'ETH');
  await followHead(follower);
  const change = `update chain_blocks b set hash = $2 from transfers t where t.tx_id = $1 and b.network = t.network and b.height = t.height
    returning t.block_hash`;
  const [stood] = await rowsOf(change, [hash, `0x${'6'.repeat(64)}`]);
  await followTiers(follower);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await rowsOf(change, [hash, stood.block_hash]);
  await followChain(follower);
  expect(await statusOf(engine, store, transId)).toBe('completed');
});

test('the end of a first read is kept until every tier has covered it, not only the shallowest', async () => {
  const { follower } = chainOf(engine, 'ETH');
  const ends: number[] = [];
  for (let read = 0; read < 3; read += 1) {
    await mineNow(engine, 'ETH', 10);
    await followHead(follower);
    ends.push((await standingOf(engine, 'ETH')).height);
  }
  await ageReads(engine.database, 'ETH');
  await followTiers(follower);
  const { covered } = await standingOf(engine, 'ETH');
  const [first = 0] = ends;
  expect(covered['conf:12']).toBeGreaterThan(first);
  expect(covered['conf:64']).toBeLessThan(first);
  const kept = await rowsOf(`select height::integer from chain_reads where network = 'ETH' order by height`, []);
  expect(kept.map(({ height }) => height)).toEqual(expect.arrayContaining(ends));
});

test('a tier that a policy gains is covered from where all others are: what was quoted by it meanwhile is not settled', async () => {
  const { transId } = await openPaid('ETH');
  await mineNow(engine, 'ETH', 4);
  await followHead(chainOf(engine, 'ETH').follower);
  // A newer API has quoted at a tier that the worker has no coverage for yet.
  await rowsOf(`delete from chain_coverage where network = 'ETH' and tier = 'conf:12'`, []);
  const renewed = followerOf(engine, 'ETH', [chainOf(engine, 'ETH').anvil.url]);
  await followHead(renewed);
  await decideAgain(engine);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  const { covered } = await standingOf(engine, 'ETH');
  expect(covered['conf:12']).toBe(Math.min(...Object.values(covered)));
  await mineNow(engine, 'ETH', 12);
  await followChain(renewed);
  expect(await statusOf(engine, store, transId)).toBe('completed');
});

test('a payment that one provider denies and another proves stays, and its network goes on', async () => {
  const { transId, hash } = await openPaid('BSC');
  const follower = lyingReader('BSC', 2, ({ readBlocks, receipts, providers }) => ({
    readBlocks: async (request) => {
      const found = await readBlocks(request);
      return { ...found, transfers: found.transfers.filter(({ txId }) => txId !== hash) };
    },
    receipts: async (txIds, pass) => {
      const isHonest = typeof pass === 'object' && 'only' in pass && pass.only === providers[1];
      return (await receipts(txIds, pass)).map((one) =>
        one && !isHonest ? Object.assign({}, one, { succeeded: false }) : one,
      );
    },
  }));
  await mineNow(engine, 'BSC', 20);
  await follow(engine, 'BSC', follower);
  expect(await statusOf(engine, store, transId)).toBe('completed');
  for (let minute = 0; minute < 3; minute += 1) {
    engine.clock.advance(MINUTE_MS);
    await follow(engine, 'BSC', follower);
  }
  expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true, trans_id: transId }]);
  expect([...follower.memory.doubts.keys()].some((key) => key.endsWith(hash))).toBe(true);
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: false });
});

test('a tier that is refused keeps no other one from being covered', async () => {
  const before = await standingOf(engine, 'ETH');
  await mineNow(engine, 'ETH', 40);
  const shallow = before.covered['conf:12'] ?? 0;
  const follower = lyingReader('ETH', 1, ({ readBlocks }) => ({
    readBlocks: async (request) => {
      if (request.from > shallow) throw new SourceError('inconsistent', 'It does not say.');
      return readBlocks(request);
    },
  }));
  follower.memory.ranges.set('conf:64', 10);
  await follow(engine, 'ETH', follower);
  const { covered } = await standingOf(engine, 'ETH');
  expect(covered['conf:12']).toBe(shallow);
  expect(covered['conf:64']).toBe((before.covered['conf:64'] ?? 0) + 40);
});

const FLOOD = 1_050;

function dieBetweenPieces(name: string): void {
  if (name === 'head:piece') throw new Error('It dies here.');
}

test('a transfer that a reader recorded within a range before it died is taken back when the blocks were replaced meanwhile', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'BSC');
  const to = quote.toAddress as `0x${string}`;
  const { anvil } = chainOf(engine, 'BSC');
  const token = canonicalToken(56, 'USDT').address;
  const units = (place: number) => unitsOf(quote) + BigInt(place);
  await settle(engine, 'BSC');
  const hash = await payByBatch(
    anvil,
    Array.from({ length: FLOOD }, (_unused, place) => ({ token, to, units: units(place) })),
  );
  await mineNow(engine, 'BSC', 8);
  const dying = followerOf(engine, 'BSC', [anvil.url], { failpoint: dieBetweenPieces });
  await expect(followHead(dying)).rejects.toThrow('It dies here.');
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await reorg(anvil, 8);
  await followHead(chainOf(engine, 'BSC').follower);
  const standing = (await transfersOf(engine, hash)).filter(({ canonical }) => canonical);
  expect(standing).toEqual([]);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
});

test('an invoice whose attached transfer came back as another waits again', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'ETH');
  const hash = await pay(engine, quote, unitsOf(quote) - 1n);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  await command(engine, 'inbox attach', { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' });
  expect(await statusOf(engine, store, transId)).toBe('processing');
  const { source, apply } = chainOf(engine, 'ETH').follower;
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
  await inTransaction(engine.as('worker'), async (tx) => {
    await revertTransfersAbove(tx, 'ETH', height - 1);
    const { changed, orphaned } = await recordTransfers(tx, 'ETH', [other], new Date(engine.clock.nowMs()));
    expect(orphaned).toEqual([(await factsOf(engine, transId)).id]);
    await apply(tx, 'ETH', changed, orphaned);
  });
  expect(await statusOf(engine, store, transId)).toBe('waiting');
});
