import { tronToHex } from '@counterfoil/core/tron-address.ts';
import { pino } from 'pino';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import { payInternally } from '../../rig/chains/evm/payment.ts';
import type { TronNode } from '../../rig/chains/tron/node.ts';
import { namedRowsOf, readNamed, requestsOf } from '../../rig/invoices/name-transactions.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { rigOf, startTronChain } from '../../rig/chains/tron/tron-rig.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { closeChainFixture, mineNow, openQuote, openChainFixture, settle } from '../../rig/chains/chain-fixture.ts';

/**
 * Submitted transactions of Tron: coins of Tron's own transfer contract are found, those that another contract passed
 * on are not.
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

async function readAgain(): Promise<void> {
  const tron = findNetwork('TRC20');
  if (!tron) throw new Error('TRC20 is unknown.');
  const { clock } = fixture.engine;
  const database = fixture.engine.as('worker');
  const source = createTronSource(tron, [node.url], { genesisHash: await genesisOf(node.url) });
  const parts = {
    database,
    clock,
    log: pino({ level: 'silent' }),
    owner: 'test',
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
  };
  await readNamed(fixture.engine, createFollower({ ...parts, source }));
}

const name = (transId: string, tx: string) =>
  command(fixture.engine, 'transfer name', { invoice: transId, network: 'TRC20', tx, reason: 'test' });

test('coins sent for a token invoice are found when they are named', async () => {
  const { transId, quote } = await openQuote(fixture);
  const units = 25_000_000n;
  const hash = await fixture.rig.payCoin({ to: quote.toAddress, units });
  await mineNow(fixture);
  await settle(fixture);
  expect(await namedRowsOf(fixture.engine, hash)).toEqual([]);
  await name(transId, hash);
  await readAgain();
  expect(await requestsOf(fixture.engine, transId)).toMatchObject([{ outcome: 'found' }]);
  const row = { index: 'native', token: 'TRX', units, reason: 'wrong_token', named_by: 'operator' };
  expect(await namedRowsOf(fixture.engine, hash)).toMatchObject([row]);
  expect(await statusOf(fixture.engine, fixture.store, transId)).toBe('waiting');
});

test('of coins that a contract passed on nothing is recorded, and the outcome says why', async () => {
  const { transId, quote } = await openQuote(fixture);
  const to = tronToHex(quote.toAddress) as Address;
  const hash = await payInternally(node.anvil, { to, units: 25_000_000n });
  await mineNow(fixture);
  await settle(fixture);
  await name(transId, hash);
  await readAgain();
  expect(await requestsOf(fixture.engine, transId)).toMatchObject([{ outcome: 'untraceable' }]);
  expect(await namedRowsOf(fixture.engine, hash.slice(2))).toEqual([]);
});
