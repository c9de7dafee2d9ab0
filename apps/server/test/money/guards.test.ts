import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { askOthers } from '../../src/chains/ask-others.ts';
import { followHead } from '../../src/chains/follow-chain.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { recordTransfers } from '../../src/transfers/transfer-sql.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { lookUp, statusOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { command } from '../../rig/invoices/run-command.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** Guards of reading and settling that only matter in rare orders of events. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  for (const network of ['BSC', 'ETH']) await settle(engine, network);
});
afterAll(() => engine.close());

const refuse = () => Promise.reject(new SourceError('unavailable', 'It is away.'));

test('an answer in between ends the silence of other providers', async () => {
  const { follower } = chainOf(engine, 'BSC');
  await expect(askOthers(follower, 'one', refuse)).rejects.toThrow('It is away.');
  engine.clock.advance(30_000);
  expect(await askOthers(follower, 'one', async () => 1)).toEqual({ answered: true, answer: 1 });
  engine.clock.advance(40_000);
  await expect(askOthers(follower, 'one', refuse)).rejects.toThrow('It is away.');
});

test('blocks that a rewind undid do not count as read long ago', async () => {
  const { anvil, follower } = chainOf(engine, 'BSC');
  for (let times = 0; times < 4; times += 1) {
    await mineNow(engine, 'BSC', 6);
    await followChain(follower);
  }
  await ageReads(engine.database, 'BSC');
  await reorg(anvil, 20);
  await mineNow(engine, 'BSC', 3);
  const before = follower.counts.rewinds;
  for (let steps = 0; steps < 20 && follower.counts.rewinds === before; steps += 1) await followHead(follower);
  expect(follower.counts.rewinds).toBe(before + 1);
  const { rows } = await engine.database.pool.query(
    `select r.height from chain_reads r join chains c using (network) where r.network = 'BSC' and r.height > c.height`,
  );
  expect(rows).toEqual([]);
});

test('a transfer that moved to another block is not proven by what proved it before', async () => {
  const txId = `0x${'ab'.repeat(32)}`;
  const transfer = { token: 'USDT', txId, index: 'USDT:0', from: '0x1', to: '0x2', units: 1n, height: 5, blockTime: 5 };
  const record = (blockHash: string) =>
    inTransaction(engine.as('worker'), (tx) =>
      recordTransfers(tx, 'BSC', [{ ...transfer, blockHash }], new Date(engine.clock.nowMs()), {
        by: 'a',
        how: 'logs',
      }),
    );
  await record('0xa');
  const { pool } = engine.database;
  await pool.query(`update transfers set proven_by = 'b', proven_how = 'receipt', proven_at = now() where tx_id = $1`, [
    txId,
  ]);
  await record('0xb');
  const { rows } = await pool.query('select block_hash, proven_at from transfers where tx_id = $1', [txId]);
  expect(rows).toEqual([{ block_hash: '0xb', proven_at: null }]);
  await pool.query('delete from transfers where tx_id = $1', [txId]);
});

test('a payment that settled at the tier of a small invoice is not deep enough for a large one', async () => {
  const small = await newInvoice(engine, store, '50');
  const quote = await select(engine, small, 'ETH');
  const hashes = [await pay(engine, quote), await pay(engine, quote)];
  await mineNow(engine, 'ETH', 25);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, small)).toBe('completed');
  const large = await newInvoice(engine, store, '5000');
  await select(engine, large, 'ETH');
  const { transaction_hash: paying } = await lookUp(engine, store, small);
  const tx = hashes.find((hash) => hash !== paying) ?? '';
  await command(engine, 'inbox attach', { invoice: large, network: 'ETH', tx, index: 'USDT:0' });
  expect(await statusOf(engine, store, large)).toBe('processing');
  await mineNow(engine, 'ETH', 70);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, large)).toBe('completed');
});
