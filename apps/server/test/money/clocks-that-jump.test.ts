import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { steadyClock } from '../../src/lib/clock.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import {
  closeChainFixture,
  followToEnd,
  mineNow as mineOn,
  openChainFixture,
  openQuote,
} from '../../rig/chains/chain-fixture.ts';
import type { ProfileRig } from '../../rig/chains/profile-rig.ts';
import { startProfileRig } from '../../rig/chains/profile-rig.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, followerOf, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { standingOf, statusOf } from '../../rig/invoices/look-up.ts';

/** Neither a chain that catches up nor a database clock that jumps makes anything old that is young. */

const MINUTE_MS = 60_000;

describe('a database clock that jumps forward', () => {
  let engine: EngineFixture;
  beforeAll(async () => {
    engine = await openEngineFixture(inject('template'), ['BSC']);
    await settle(engine, 'BSC');
  });
  afterAll(() => engine.close());

  test('makes no first read old: nothing is covered before its time has passed', async () => {
    let behindMs = 0;
    const steady = { nowMs: () => steadyClock.nowMs() - behindMs };
    const follower = followerOf(engine, 'BSC', [chainOf(engine, 'BSC').anvil.url], { steady });
    const covered = async () => (await standingOf(engine, 'BSC')).covered['finalized'];
    const read = async () => {
      await mineNow(engine, 'BSC', 30);
      for (let step = 0; step < 6; step += 1) await followChain(follower);
    };
    await read();
    const before = await covered();
    // For the follower both together are a jump of the database's clock: it passed a minute, and stored reads look older.
    behindMs += MINUTE_MS;
    await ageReads(engine.database, 'BSC');
    await read();
    expect(await covered()).toBe(before);
    behindMs -= follower.secondReadAgeMs;
    await read();
    expect(await covered()).toBeGreaterThan(before ?? 0);
  });
});

describe('a rollup that catches up', () => {
  let fixture: ChainFixture<ProfileRig>;
  beforeAll(async () => {
    fixture = await openChainFixture(inject('template'), startProfileRig('BASE'));
  });
  afterAll(() => closeChainFixture(fixture));

  test('a small payment settles a minute after it was seen, and not after a minute of block times', async () => {
    const { engine, rig, store } = fixture;
    engine.clock.advance(2 * MINUTE_MS);
    const { transId, quote, units } = await openQuote(fixture);
    await rig.payToken({ to: quote.toAddress, units });
    await rig.mine(Math.ceil(90 / rig.blockSeconds), {});
    await followToEnd(fixture);
    await followToEnd(fixture);
    expect(await statusOf(engine, store, transId)).toBe('processing');
    engine.clock.advance(MINUTE_MS);
    await mineOn(fixture, 1);
    await followToEnd(fixture);
    await mineOn(fixture, 1);
    await followToEnd(fixture);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});
