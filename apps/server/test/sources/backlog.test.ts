import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { standingOf, statusOf } from '../../rig/invoices/look-up.ts';
import type { ProfileRig } from '../../rig/chains/profile-rig.ts';
import { startProfileRig } from '../../rig/chains/profile-rig.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { closeChainFixture, keepUp, openQuote, openChainFixture, pay } from '../../rig/chains/chain-fixture.ts';

/** A backlog of an hour, 18,000 blocks, on the network with the fastest blocks. */

const SYMBOL = 'BASE';
const HOUR_SECONDS = 3_600;
const MAX_STEPS = 2_000;
/** Age at which a read may be confirmed by a second one. No read gets that old here unless `ageReads` makes it. */
const AGE_MS = 3_600_000;

let fixture: ChainFixture<ProfileRig>;
beforeAll(async () => {
  fixture = await openChainFixture(inject('template'), startProfileRig(SYMBOL));
});
afterAll(() => closeChainFixture(fixture));

function readerOf(owner: string): Follower {
  const { engine, rig } = fixture;
  const network = findNetwork(SYMBOL);
  const url = rig.settings()[`COUNTERFOIL_RPC_${SYMBOL}`];
  if (!network || url === undefined) throw new Error(`${SYMBOL} has no node.`);
  const { clock } = engine;
  const database = engine.as('worker');
  const source = createEvmSource(network, [url], { monotonic: clock });
  const log = pino({ level: 'silent' });
  const follower = createFollower({
    database,
    clock,
    ageClock: clock,
    log,
    source,
    owner,
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
  });
  return { ...follower, secondReadAgeMs: AGE_MS };
}

/** Follows without ageing reads, until nothing is left to do or `farEnough` holds. */
async function follow(reader: Follower, farEnough: () => Promise<boolean> = async () => false): Promise<void> {
  for (let steps = 1; steps <= MAX_STEPS; steps += 1) {
    const step = await followHead(reader);
    for (let proofs = 0; proofs < MAX_STEPS && (await followTiers(reader)) === 'worked'; proofs += 1);
    if (step !== 'worked' || (await farEnough())) return;
  }
  throw new Error('It does not come to rest.');
}

/** Makes first reads old enough for second reads. */
const ageReads = () =>
  fixture.engine.database.pool.query(
    `update chain_reads set read_at = read_at - interval '1 hour' where network = $1`,
    [SYMBOL],
  );

const heightOf = async () => (await standingOf(fixture.engine, SYMBOL)).height;

test('an hour of backlog with a take-over in its middle costs its reading and the age of one second read', async () => {
  const { engine, rig, store } = fixture;
  const paid = await openQuote(fixture);
  const unpaid = await openQuote(fixture);
  const before = await heightOf();
  await pay(fixture, paid);
  const head = keepUp(fixture, await rig.pass(HOUR_SECONDS));
  expect(head - before).toBeGreaterThanOrEqual(HOUR_SECONDS / rig.blockSeconds);

  const half = before + (head - before) / 2;
  await follow(readerOf('one'), async () => (await heightOf()) >= half);
  expect(await heightOf()).toBeLessThan(head - HOUR_SECONDS);
  // The dead reader's lease runs out.
  await engine.database.pool.query('update chains set lease_owner = null');
  const next = readerOf('two');
  await follow(next);
  expect(await heightOf()).toBeGreaterThan(head - HOUR_SECONDS);
  // A payment is proven once the reader has seen its block for a minute; that none is there needs a second read.
  engine.clock.advance(60_000);
  await follow(next);
  expect(await statusOf(engine, store, paid.transId)).toBe('completed');
  await expire(engine);
  expect(await statusOf(engine, store, unpaid.transId)).toBe('waiting');

  await ageReads();
  await follow(next);
  await expire(engine);
  expect(await statusOf(engine, store, unpaid.transId)).toBe('expired');
  const { covered, height } = await standingOf(engine, SYMBOL);
  const finalized = head - rig.profile.finalizedLagBlocks.most;
  expect(covered['finalized']).toBeGreaterThanOrEqual(finalized - HOUR_SECONDS / rig.blockSeconds / 100);
  expect(height).toBeGreaterThan(finalized);
});
