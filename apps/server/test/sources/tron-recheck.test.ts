import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import type { TronNode } from '../../rig/chains/tron/node.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { lookUp } from '../../rig/invoices/look-up.ts';
import { rigOf, startTronChain } from '../../rig/chains/tron/tron-rig.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { closeChainFixture, mineNow, openQuote, openChainFixture, pay } from '../../rig/chains/chain-fixture.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';

/**
 * Payments that both reads of Tron missed are found by a recheck: tokens, and coins, which only the solidified view
 * shows.
 */

let fixture: ChainFixture;
let node: TronNode;
beforeAll(async () => {
  fixture = await openChainFixture(inject('template'), async (startSeconds) => {
    node = await startTronChain(startSeconds);
    return rigOf(node);
  });
});
afterAll(() => closeChainFixture(fixture));

/** Moves the cursor and coverage to the final block as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const tron = findNetwork('TRC20');
  if (!tron) throw new Error('TRC20 is unknown.');
  const { finalized } = await createTronSource(tron, [node.url], { genesisHash: await genesisOf(node.url) }).heads(
    'first',
  );
  const { pool } = fixture.engine.database;
  const values = [finalized.height, new Date(finalized.time * 1000)];
  await pool.query('update chains set height = $1, block_time = $2, hash = $3', [...values, finalized.hash]);
  await pool.query('update chain_coverage set height = $1, block_time = $2', values);
}

test.each([
  ['USDT', 'one provider that is asked twice', 1],
  ['USDT', 'two providers', 2],
  ['TRX', 'one provider that is asked twice', 1],
  ['TRX', 'two providers', 2],
])('a missed payment in %s is found by a recheck with %s', async (token, _who, providers) => {
  const open = await openQuote(fixture, token);
  const hash = await pay(fixture, open);
  await mineNow(fixture, 40);
  await passOver();
  const urls = Array.from({ length: providers }, () => node.url);
  const rechecked = await command(fixture.engine, 'invoice recheck', { 'trans-id': open.transId }, urls);
  expect(rechecked).toMatchObject([{ network: 'TRC20', found: 1, doubted: [] }]);
  expect(await lookUp(fixture.engine, fixture.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: hash,
  });
});
